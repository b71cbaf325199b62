import { type Child, type Computer, thisComputer } from "./computer";
import { Problem } from "./problem";
import { candidates, lastWords, printedAddress, serveArguments } from "./program";

// Opening a large vault takes about a second, and ten on a machine that is busy starting up; this only ends a hang.
const START_MS = 120_000;
// How much of what the server says is kept for an error.
const KEPT = 4_000;

/** A server that the plugin started for this vault, and ends. */
export class OwnServer {
    private child: Child | null = null;

    /** Start `notewell serve` for a folder, and return its address. */
    async start(named: string, folder: string, token: boolean): Promise<string> {
        const computer = await thisComputer();
        const child = computer.run(find(named, computer), serveArguments(folder, token));
        this.end();
        this.child = child;
        try {
            return await announced(child);
        } catch (error) {
            // By now another one may have been started, which stays.
            if (this.child === child) this.end();
            throw error;
        }
    }

    /** End it: it stops when its stdin closes, which also happens if the app crashes. */
    end(): void {
        this.child?.stdin.end();
        this.child = null;
    }
}

/** Return the program to run, or say what to install. */
function find(named: string, computer: Computer): string {
    const found = candidates(named, computer.machine).find((file) => computer.has(file));
    if (found) return found;
    const fact = named ? `There is no program ${named}` : "The program notewell was not found";
    throw new Problem(fact, "Install it (pip install 'notewell[all]'), or name it in the settings");
}

/** Wait for the line with the address. */
function announced(child: Child): Promise<string> {
    return new Promise((resolve, reject) => {
        let printed = "";
        let said = "";
        const fail = (fact: string): void => reject(new Problem(fact, lastWords(said)));
        const timer = window.setTimeout(() => fail("Notewell did not start in time"), START_MS);
        const read = (data: unknown): void => {
            printed += String(data);
            const address = printedAddress(printed);
            if (address) {
                window.clearTimeout(timer);
                resolve(address);
            }
        };
        child.stdout.on("data", read);
        child.stderr.on("data", (data: unknown) => (said = (said + String(data)).slice(-KEPT)));
        // It may be gone before we end it.
        child.stdin.on("error", () => undefined);
        child.once("error", (error) => fail(`Notewell cannot be started: ${error.message}`));
        child.once("close", () => {
            window.clearTimeout(timer);
            fail("Notewell stopped right after it started");
        });
    });
}
