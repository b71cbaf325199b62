/** Where `notewell` may be: the app is not started from a shell, so its PATH is often shorter than the user's. */
export interface Machine {
    readonly windows: boolean;
    readonly home: string;
    readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Return the files to try, in order; a program that the user named is the only one. */
export function candidates(named: string, machine: Machine): string[] {
    const { windows, home, environment } = machine;
    const slash = windows ? "\\" : "/";
    const name = windows ? "notewell.exe" : "notewell";
    if (named) return [named.replace(/^~(?=[\\/])/, home)];
    const path = (environment.PATH ?? environment.Path ?? "").split(windows ? ";" : ":").filter(Boolean);
    const local = [home, ".local", "bin"].join(slash);
    const usual = windows ? [local] : [local, "/opt/homebrew/bin", "/usr/local/bin"];
    return [...new Set([...path, ...usual])].map((folder) => `${folder.replace(/[\\/]$/, "")}${slash}${name}`);
}

/** Return the arguments that serve one vault on a free port, until our end of stdin closes. */
export function serveArguments(folder: string, token: boolean): string[] {
    return ["serve", "--vault", folder, "--port", "0", "--json", "--until-eof", ...(token ? ["--token"] : [])];
}

/** Return the first address that the server printed, or null while there is none. */
export function printedAddress(printed: string): string | null {
    const line = printed.split("\n").slice(0, -1).find((one) => one.startsWith("{")) ?? "{}";
    try {
        return (JSON.parse(line) as { addresses?: string[] }).addresses?.[0] ?? null;
    } catch {
        return null;
    }
}

/** Return what a server said before it ended, without progress and hints that repeat. */
export function lastWords(said: string): string {
    const lines = said.split("\n").filter((line) => /^(error|hint): /.test(line));
    return lines.map((line) => line.replace(/^(error|hint): /, "")).join(". ");
}
