import { Platform } from "obsidian";
import { expect, test, vi } from "vitest";
import type { Hit } from "../src/answers";
import { Client } from "../src/client";
import { Connection } from "../src/connection";
import { byNote, pieces } from "../src/found";
import { Latest } from "../src/latest";
import { asShown } from "../src/open";
import { DEFAULTS, loopback, readOptions } from "../src/options";
import { candidates, lastWords, printedAddress } from "../src/program";
import { shownState } from "../src/status_item";

function hit(path: string, line: number): Hit {
    const excerpt = { text: "", line, end_line: line, place: "", highlights: [] };
    return { path, line, end_line: line, place: "", heading: "", title: path, date: "", score: 1, text: "", excerpt };
}

test("hits stand note by note, and the first of a note names it", () => {
    const found = byNote([hit("b", 3), hit("a", 1), hit("b", 9)]);
    expect(found.map(({ hit: { path, line }, first }) => [path, line, first])).toEqual([
        ["b", 3, true],
        ["b", 9, false],
        ["a", 1, true],
    ]);
});

test("marks count characters, as Python does, so an emoji before them shifts nothing", () => {
    expect(pieces("😀 a loaf", [[4, 8]])).toEqual([
        { text: "😀 a ", marked: false },
        { text: "loaf", marked: true },
    ]);
    expect(pieces("overlaps", [[0, 4], [2, 6]]).map((piece) => piece.text)).toEqual(["over", "laps"]);
});

test("while one request runs, only the newest of the others follows", async () => {
    const latest = new Latest();
    const asked: string[] = [];
    let finish = (): void => undefined;
    const first = latest.run(() => {
        asked.push("a");
        return new Promise<string>((resolve) => (finish = () => resolve("a")));
    });
    const later = ["ab", "abc", "abcd"].map((text) =>
        latest.run(() => {
            asked.push(text);
            return Promise.resolve(text);
        }),
    );
    finish();
    expect(await Promise.all([first, ...later])).toEqual([undefined, undefined, undefined, "abcd"]);
    expect(asked).toEqual(["a", "abcd"]);
});

test("a request that fails does not hold up the next", async () => {
    const latest = new Latest();
    await expect(latest.run(() => Promise.reject(new Error("gone")))).rejects.toThrow("gone");
    expect(await latest.run(() => Promise.resolve(1))).toBe(1);
});

test("the program is looked for where installers put it, on every system", () => {
    const linux = { windows: false, home: "/home/ada", environment: { PATH: "/usr/bin:/bin" } };
    expect(candidates("", linux).slice(0, 3)).toEqual(["/usr/bin/notewell", "/bin/notewell", "/home/ada/.local/bin/notewell"]);
    expect(candidates("~/venv/bin/notewell", linux)).toEqual(["/home/ada/venv/bin/notewell"]);
    const windows = { windows: true, home: "C:\\Users\\Ada", environment: { Path: "C:\\Python\\Scripts\\;C:\\x" } };
    expect(candidates("", windows)).toEqual([
        "C:\\Python\\Scripts\\notewell.exe",
        "C:\\x\\notewell.exe",
        "C:\\Users\\Ada\\.local\\bin\\notewell.exe",
    ]);
});

test("an address counts once its line is whole, whatever is printed before", () => {
    const line = '{"vault": "/v", "addresses": ["http://127.0.0.1:5"]}';
    expect(printedAddress(line)).toBeNull();
    expect(printedAddress(`warning\n${line}\n`)).toBe("http://127.0.0.1:5");
    expect(lastWords("indexing\nerror: No disk\nhint: Free some\n")).toBe("No disk. Free some");
});

test("only an address on this computer is one", () => {
    expect(loopback("http://127.0.0.1:8483/")).toBe("http://127.0.0.1:8483");
    expect(loopback("http://[::1]:1")).toBe("http://[::1]:1");
    for (const other of ["http://10.0.0.1:8483", "https://127.0.0.1", "http://localhost.example.org", "x", "http://a@127.0.0.1"]) {
        expect(loopback(other)).toBeNull();
    }
});

test("options of another type, or of an older version, become the usual ones", () => {
    expect(readOptions(null)).toEqual(DEFAULTS);
    expect(readOptions({ starts: "yes", limit: 5, gone: 1 })).toEqual({ ...DEFAULTS, limit: 5 });
});

test("the status says what is indexed and what goes on", () => {
    const health = { version: "1", notes: 16894, paused: false, filling: { left: 2972, under_way: true, problem: "" } };
    const calm = { indexed: true, finished: true, run: null, problem: "" };
    const all = { ...health, notes: 3, filling: { ...health.filling, left: 0 } };
    expect(shownState(health, { ...calm, run: { done: 340, total: 16894 } }).text).toBe("Notewell: indexing 340 of 16,894");
    expect(shownState(health, calm)).toEqual({ text: "Notewell: 16,894 notes, improving (2,972 left)", busy: true });
    expect(shownState({ ...health, notes: 1, paused: true }, calm)).toEqual({ text: "Notewell: 1 note, paused", busy: false });
    expect(shownState(all, calm)).toEqual({ text: "Notewell: 3 notes", busy: false });
    expect(shownState(all, { ...calm, problem: "No space" }).text).toBe("Notewell: No space");
});

test("a name has the spelling of the app, whatever the disk has", () => {
    expect(asShown("Ku\u0308che/Bild\u202f1\u00a0a.png")).toBe("K\u00fcche/Bild 1 a.png");
});

test("a server that takes a request and never answers is a problem, not a wait for ever", async () => {
    vi.useFakeTimers();
    const client = new Client(() => new Promise(() => undefined), "http://127.0.0.1:1");
    const asked = expect(client.health()).rejects.toThrow("does not answer");
    await vi.runAllTimersAsync();
    await asked;
    vi.useRealTimers();
});

test("another program at the address is not taken for a server that requires its token", async () => {
    const answers: [number, string][] = [[200, "<html>"], [200, "null"], [200, "{}"], [404, '{"detail": "Not Found"}'], [401, '{"detail": "No"}'], [500, "{}"]];
    for (const [status, text] of answers) {
        const connection = new Connection({
            folder: "/notes",
            send: () => Promise.resolve({ status, text }),
            options: () => DEFAULTS,
            token: () => "",
        });
        Platform.isDesktop = true;
        await expect(connection.ask((client) => client.health())).rejects.toThrow("8483 is not Notewell");
    }
});
