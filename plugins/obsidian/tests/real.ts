import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";
import type { Request, Response } from "../src/client";
import { Connection } from "../src/connection";
import { DEFAULTS, type Options } from "../src/options";

export const NOTES: Record<string, string> = {
    "Bread.md": "# Bread\n\nSome 😀 flour.\n\n## Shaping\n\nThe loaf spread flat because the dough was too wet.\n",
    "Garden/Bees & wasps #1.md": "# Bees\n\nThe hive hums in the warm evening of a summer day.\n",
    "Garden/Mites.md": "# Mites\n\nMites weaken a hive in summer. We treat the bees in August.\n",
    "Web.md": "# Web\n\nA picture of a cat <img src=x> from the web.\n",
};

/** The command under test; `make test` names that of its environment. */
export const PROGRAM = env.NOTEWELL ?? "";

/** Return a folder with a few notes. */
export function makeVault(notes: Record<string, string> = NOTES): string {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "notewell-vault-")));
    // Encoding in the background would outlive the test.
    writeFileSync(join(folder, "notewell.toml"), '[embed]\nencoder = "off"\n');
    for (const [path, text] of Object.entries(notes)) {
        mkdirSync(join(folder, path, ".."), { recursive: true });
        writeFileSync(join(folder, path), text);
    }
    return folder;
}

export function remove(folder: string): void {
    rmSync(folder, { recursive: true, force: true });
}

/** Create a token, and return it. */
export function newToken(): string {
    return execFileSync(PROGRAM, ["serve", "--new-token"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}

/** Send requests as the app does, and keep them. */
export class Sender {
    readonly sent: Request[] = [];

    readonly send = async (request: Request): Promise<Response> => {
        this.sent.push(request);
        const response = await fetch(request.url, { method: request.method, headers: request.headers });
        return { status: response.status, text: await response.text() };
    };
}

/** Return a connection of a vault, as the plugin makes one. */
export function connect(folder: string, given: Partial<Options>, token = "", sender: Pick<Sender, "send"> = new Sender()): Connection {
    const options = { ...DEFAULTS, program: PROGRAM, ...given };
    return new Connection({ folder, send: sender.send, options: () => options, token: () => token });
}

/** Wait for the end of the first run. */
export async function indexed(to: Connection): Promise<void> {
    const ends = Date.now() + 60_000;
    while (!(await to.ask((client) => client.progress())).finished) {
        if (Date.now() > ends) throw new Error("the vault is not indexed");
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
}
