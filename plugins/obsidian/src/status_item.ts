import { type Component, Menu, Notice } from "obsidian";
import type { Health, Progress } from "./answers";
import type { Connection } from "./connection";
import { worded } from "./problem";

// How often the server is asked while something is going on, and while nothing is.
const BUSY_MS = 3_000;
const CALM_MS = 30_000;

/** What the status bar shows. */
export interface Shown {
    readonly text: string;
    readonly busy: boolean;
}

/** Return the state of a server in a few words. */
export function shownState(health: Health, progress: Progress): Shown {
    const { run, indexed, problem } = progress;
    const notes = health.notes ?? 0;
    const left = health.filling?.left ?? 0;
    if (run) return { text: `Notewell: indexing ${run.done.toLocaleString("en")} of ${run.total.toLocaleString("en")}`, busy: true };
    if (problem) return { text: `Notewell: ${problem}`, busy: false };
    if (!indexed) return { text: "Notewell: not indexed", busy: true };
    const count = `Notewell: ${notes.toLocaleString("en")} ${notes === 1 ? "note" : "notes"}`;
    if (left === 0) return { text: count, busy: false };
    if (health.paused) return { text: `${count}, paused`, busy: false };
    return { text: `${count}, improving (${left.toLocaleString("en")} left)`, busy: true };
}

/** The item in the status bar: what is indexed, what is going on, and a menu to pause it. */
export class StatusItem {
    private paused = false;
    private due = 0;

    constructor(
        private readonly element: HTMLElement,
        private readonly connection: Connection,
    ) {
        element.addClass("mod-clickable");
        element.addEventListener("click", (event) => this.menu().showAtMouseEvent(event));
    }

    /** Show the state now, and again for as long as the plugin is loaded. */
    follow(owner: Component): void {
        void this.look();
        owner.registerInterval(window.setInterval(() => void this.lookIfDue(), BUSY_MS));
    }

    /** Ask the server, and show its state. */
    async look(): Promise<void> {
        let shown: Shown = { text: "Notewell: off", busy: false };
        let why = "";
        this.connection.recheck();
        try {
            shown = await this.connection.ask(async (client) => {
                const [health, progress] = await Promise.all([client.health(), client.progress()]);
                this.paused = health.paused ?? false;
                return shownState(health, progress);
            });
        } catch (error) {
            why = worded(error);
        }
        this.due = Date.now() + (shown.busy ? BUSY_MS : CALM_MS) - BUSY_MS / 2;
        this.element.setText(shown.text);
        this.element.setAttr("aria-label", why || "Notewell");
    }

    private async lookIfDue(): Promise<void> {
        if (Date.now() >= this.due && this.element.isShown()) await this.look();
    }

    private menu(): Menu {
        const menu = new Menu();
        const turn = this.paused ? "Resume background work" : "Pause background work";
        menu.addItem((item) => item.setTitle(turn).onClick(() => void this.turn(!this.paused)));
        menu.addItem((item) => item.setTitle("Connect again").onClick(() => void this.again()));
        return menu;
    }

    private async turn(paused: boolean): Promise<void> {
        try {
            await this.connection.ask((client) => client.pause(paused));
        } catch (error) {
            new Notice(worded(error));
        }
        await this.look();
    }

    /** Forget the server, and connect again. */
    async again(): Promise<void> {
        this.connection.reset();
        await this.look();
    }
}
