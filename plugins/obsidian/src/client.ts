import type { Answer, Health, Progress, Results } from "./answers";
import { Gone, Missing, Problem } from "./problem";

/** A request and its response, without the app: `requestUrl` in Obsidian, `fetch` in tests. */
export interface Request {
    readonly url: string;
    readonly method: "GET" | "POST";
    readonly headers: Record<string, string>;
}

export interface Response {
    readonly status: number;
    readonly text: string;
}

export type Send = (request: Request) => Promise<Response>;

// A search takes milliseconds, and a model minutes; this only ends a hang, as `requestUrl` cannot be cancelled.
const PATIENCE_MS = 60_000;
const MODEL_MS = 600_000;
/** What to do about a token that is missing or wrong. */
export const TOKEN_HINT = "Choose the token in the settings of Notewell";

type Values = Record<string, string | number | boolean>;

/** Asks one server; every answer is JSON, and every error a `Problem`. */
export class Client {
    constructor(
        private readonly send: Send,
        readonly address: string,
        private readonly token = "",
    ) {}

    /** Find the lines that answer a text; `refresh` indexes changed notes first. */
    search(text: string, options: { limit: number; refresh: boolean }): Promise<Results> {
        return this.ask<Results>("GET", "/search", { text, ...options });
    }

    /** Find the notes most like the lines of a note around a line, counted from 1. */
    related(path: string, line: number, limit: number): Promise<Results> {
        const place = `${path}:${line}`.split("/").map(encodeURIComponent).join("/");
        return this.ask<Results>("GET", `/related/${place}`, { limit });
    }

    /** Answer a question in one piece: `requestUrl` cannot hand on a stream. */
    answer(question: string): Promise<Answer> {
        return this.ask<Answer>("GET", "/ask", { question }, MODEL_MS);
    }

    /** Return what the server is and serves; another program at the address is an error. */
    async health(): Promise<Health> {
        const health = await this.ask<Partial<Health>>("GET", "/health").catch((error: unknown) => {
            throw error instanceof Missing ? this.stranger() : error;
        });
        if (typeof health.version !== "string") throw this.stranger();
        return { ...health, version: health.version };
    }

    /** Return how far indexing is. */
    progress(): Promise<Progress> {
        return this.ask<Progress>("GET", "/progress");
    }

    /** Pause background work, or resume it. */
    async pause(paused: boolean): Promise<void> {
        await this.ask("POST", paused ? "/pause" : "/resume");
    }

    private async ask<T>(method: Request["method"], path: string, values: Values = {}, limit = PATIENCE_MS): Promise<T> {
        const query = new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)]));
        const url = `${this.address}${path}${query.size ? `?${query.toString()}` : ""}`;
        // Some of these addresses show a page to a browser, which the app might be taken for.
        const headers = { Accept: "application/json", ...(this.token ? { Authorization: `Bearer ${this.token}` } : {}) };
        const response = await this.within(limit, this.send({ url, method, headers }));
        return this.read<T>(response);
    }

    private async within(limit: number, sent: Promise<Response>): Promise<Response> {
        let timer = 0;
        const late = new Promise<never>((_, reject) => {
            const problem = new Problem(`Notewell at ${this.address} does not answer`, "Connect again, or restart it");
            timer = window.setTimeout(() => reject(problem), limit);
        });
        const gone = sent.catch(() => {
            throw new Gone(this.address);
        });
        return Promise.race([gone, late]).finally(() => window.clearTimeout(timer));
    }

    private read<T>({ status, text }: Response): T {
        let value: unknown;
        try {
            value = JSON.parse(text);
        } catch {
            throw this.stranger();
        }
        if (typeof value !== "object" || value === null) throw this.stranger();
        if (status < 400) return value as T;
        const { error, hint } = value as { error?: unknown; hint?: unknown };
        if (typeof error !== "string") throw this.stranger();
        // The server's hint is for those who write requests.
        if (status === 401) throw new Problem(error, TOKEN_HINT);
        throw new (status === 404 ? Missing : Problem)(error, typeof hint === "string" ? hint : "");
    }

    private stranger(): Problem {
        return new Problem(`The program at ${this.address} is not Notewell`, "Check the address in the settings");
    }
}
