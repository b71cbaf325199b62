/** What `notewell serve` answers, as docs/reference/answers.md describes it; only the fields that the plugin shows. */

/** The sentences of a hit that are closest to the query; `highlights` count characters, not UTF-16 units. */
export interface Excerpt {
    readonly text: string;
    readonly line: number;
    readonly end_line: number;
    readonly place: string;
    readonly highlights: readonly (readonly [number, number])[];
}

/** Lines of a note that answer a query. */
export interface Hit {
    readonly path: string;
    readonly line: number;
    readonly end_line: number;
    readonly place: string;
    readonly heading: string;
    readonly title: string;
    readonly date: string;
    readonly score: number;
    readonly text: string;
    readonly excerpt: Excerpt;
}

/** What a search found. */
export interface Results {
    readonly hits: readonly Hit[];
    readonly hidden: number;
    readonly notices: readonly string[];
}

/** A place that an answer cites, and whether its quote is there. */
export interface Citation {
    readonly number: number;
    readonly path: string;
    readonly line: number;
    readonly heading: string;
    readonly quote: string;
    readonly citation_verified: boolean;
}

/** The answer to a question. */
export interface Answer {
    readonly text: string;
    readonly answered: boolean;
    readonly citations: readonly Citation[];
    readonly unsupported: readonly string[];
    readonly model: string;
    readonly notices: readonly string[];
}

/** A running server and, if the request may search, what it serves. */
export interface Health {
    readonly version: string;
    readonly vault?: string;
    readonly notes?: number;
    readonly filling?: { readonly left: number; readonly under_way: boolean; readonly problem: string };
    readonly paused?: boolean;
}

/** Whether the vault is indexed, and how far a run is that goes on now. */
export interface Progress {
    readonly indexed: boolean;
    readonly finished: boolean;
    readonly run: { readonly done: number; readonly total: number } | null;
    readonly problem: string;
}
