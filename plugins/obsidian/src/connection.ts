import { Client, type Send, TOKEN_HINT } from "./client";
import { thisComputer } from "./computer";
import { loopback, type Options } from "./options";
import { OwnServer } from "./own_server";
import { Gone, Problem } from "./problem";

/** What a connection needs of the app. */
export interface Around {
    /** The vault's folder. */
    readonly folder: string;
    readonly send: Send;
    options(): Options;
    /** The token from the app's secret storage; empty for none. */
    token(): string;
}

/** The way to the server of this vault: one that runs, or one that is started and ended here. */
export class Connection {
    private readonly own = new OwnServer();
    private known: Promise<Client> | null = null;
    private failed: Promise<Client> | null = null;
    private ended = false;

    constructor(private readonly around: Around) {}

    /** Ask the server; one of our own that has gone is started again, once. */
    async ask<T>(work: (client: Client) => Promise<T>): Promise<T> {
        const known = (this.known ??= this.connecting());
        try {
            return await work(await known);
        } catch (error) {
            if (!(error instanceof Gone)) throw error;
            // Another request may have noticed before.
            if (this.known === known) this.known = null;
            if (this.ended || !this.around.options().starts) throw error;
            return await work(await (this.known ??= this.connecting()));
        }
    }

    /** Forget a failed attempt to connect: somebody asks anew, and may have mended what was wrong. */
    retry(): void {
        if (this.known === this.failed) this.known = null;
        this.recheck();
    }

    /** Look again at a server that somebody else runs: by now, another vault's may be at its address. */
    recheck(): void {
        if (!this.around.options().starts) this.known = null;
    }

    /** Forget the server, and what went wrong; the next request connects again. */
    reset(): void {
        this.own.end();
        this.known = null;
    }

    /** End what was started, for good. */
    end(): void {
        this.ended = true;
        this.reset();
    }

    private connecting(): Promise<Client> {
        const connecting = this.connect();
        connecting.catch(() => {
            this.failed = connecting;
        });
        return connecting;
    }

    private async connect(): Promise<Client> {
        const { folder, send } = this.around;
        const { starts, program, address } = this.around.options();
        const token = this.around.token();
        const { real } = await thisComputer();
        if (!starts) return this.attach(address, token, real(folder), real);
        const client = new Client(send, await this.own.start(program, folder, token !== ""), token);
        // The plugin was unloaded meanwhile.
        if (this.ended) this.own.end();
        return client;
    }

    private async attach(
        address: string,
        token: string,
        folder: string,
        real: (path: string) => string,
    ): Promise<Client> {
        const origin = loopback(address);
        if (!origin) throw this.forget(new Problem(`${address} is not on this computer`, "Use http://127.0.0.1:8483"));
        const client = new Client(this.around.send, origin, token);
        try {
            const { vault } = await client.health();
            if (vault === undefined) {
                throw new Problem(token ? "The token is not that of the server" : "The server requires its token", TOKEN_HINT);
            }
            if (real(vault) !== folder) {
                throw new Problem(`The server at ${origin} serves ${vault}`, "Let the plugin start one for this vault");
            }
        } catch (error) {
            // Whatever it was, the server may be another one next time.
            throw this.forget(error);
        }
        return client;
    }

    private forget<T>(error: T): T {
        this.known = null;
        return error;
    }
}
