import { Platform } from "obsidian";
import { Problem } from "./problem";
import type { Machine } from "./program";

export type Computer = Awaited<ReturnType<typeof thisComputer>>;
export type Child = ReturnType<Computer["run"]>;

/** Return what the plugin needs of a computer: its programs and files; a phone has none, which is an error. */
export async function thisComputer() {
    if (!Platform.isDesktop) {
        throw new Problem("Notewell needs a computer", "Its server does not run on phones and tablets");
    }
    const { spawn } = await import("node:child_process");
    const { realpathSync, statSync } = await import("node:fs");
    const { homedir, platform } = await import("node:os");
    const { env } = await import("node:process");
    const machine: Machine = { windows: platform() === "win32", home: homedir(), environment: env };
    return {
        machine,
        /** Tell whether there is such a file; a folder of that name, such as a clone, is none. */
        has: (file: string) => {
            try {
                return statSync(file).isFile();
            } catch {
                return false;
            }
        },
        /** Run a program. No shell: the name of a folder is only a name. */
        run: (program: string, words: string[]) => spawn(program, words, { stdio: "pipe", windowsHide: true }),
        /** Return a path without links, in the spelling of the disk; as it is, if there is no such file. */
        real: (path: string) => {
            try {
                return realpathSync.native(path);
            } catch {
                return path;
            }
        },
    };
}
