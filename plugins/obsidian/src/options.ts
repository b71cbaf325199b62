/** What the user has set; Obsidian keeps it for each vault. */
export interface Options {
    /** Whether the plugin may start a server for this vault; else it uses the one at `address`. */
    readonly starts: boolean;
    /** The program `notewell`; empty: look in the usual places. */
    readonly program: string;
    /** Where a running server is. */
    readonly address: string;
    /** The name of the token in the app's secret storage; empty for none. */
    readonly tokenName: string;
    /** How many hits a search shows. */
    readonly limit: number;
}

export const DEFAULTS: Options = {
    starts: false,
    program: "",
    address: "http://127.0.0.1:8483",
    tokenName: "",
    limit: 20,
};

/** Return options as they were saved, with defaults for what is missing or of another type. */
export function readOptions(saved: unknown): Options {
    const given = typeof saved === "object" && saved !== null ? (saved as Record<string, unknown>) : {};
    const known = Object.entries(DEFAULTS).map(([name, usual]: [string, unknown]) => [
        name,
        typeof given[name] === typeof usual ? given[name] : usual,
    ]);
    return Object.fromEntries(known) as Options;
}

/** Return the origin of an address on this machine, or null for any other: notes and tokens stay here. */
export function loopback(address: string): string | null {
    try {
        const url = new URL(address.trim());
        const here = ["127.0.0.1", "[::1]", "localhost"].includes(url.hostname);
        return here && url.protocol === "http:" && url.pathname === "/" && !url.username ? url.origin : null;
    } catch {
        return null;
    }
}
