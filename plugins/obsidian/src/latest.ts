/**
 * Runs one request at a time and, after it, only the newest of those that came meanwhile.
 *
 * `requestUrl` cannot be cancelled, so a request per keystroke would queue up on the server. A request that was
 * overtaken gives `undefined`.
 */
export class Latest {
    private running: Promise<unknown> | null = null;
    private newest = 0;

    /** Run it once nothing else runs, unless a newer one has come by then. */
    async run<T>(work: () => Promise<T>): Promise<T | undefined> {
        const mine = ++this.newest;
        while (this.running) {
            await this.running;
            if (mine !== this.newest) return undefined;
        }
        const job = work();
        const settled = job.then(
            () => undefined,
            () => undefined,
        );
        this.running = settled;
        try {
            const result = await job;
            return mine === this.newest ? result : undefined;
        } finally {
            this.running = null;
        }
    }

    /** Overtake what runs: nobody waits for it any more. */
    forget(): void {
        this.newest++;
    }
}
