/** An error as Notewell words it: a fact, and a hint about what to do. */
export class Problem extends Error {
    constructor(
        readonly fact: string,
        readonly hint = "",
    ) {
        super(hint ? `${fact}. ${hint}` : fact);
        this.name = "Problem";
    }
}

/** No server answers at the address: it was stopped, or is not up yet. */
export class Gone extends Problem {
    constructor(address: string) {
        super(`No Notewell server answers at ${address}`, "Start it, or let the plugin start one (settings of Notewell)");
        this.name = "Gone";
    }
}

/** The server has no such note. */
export class Missing extends Problem {}

/** Return any error as text for a person. */
export function worded(error: unknown): string {
    return error instanceof Error ? error.message : String(error);
}
