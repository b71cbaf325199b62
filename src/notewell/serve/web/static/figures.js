// Sizes and times in words.

import { count } from "/web/dom.js";

const UNITS = ["bytes", "KB", "MB", "GB"];

/** Return a number of bytes with its unit. */
export function size(bytes) {
  let step = 0;
  for (; bytes >= 1000 && step < UNITS.length - 1; step += 1) bytes /= 1000;
  return `${step ? bytes.toFixed(1) : bytes} ${UNITS[step]}`;
}

/** Return a day and time as people here write it. */
export function dayAndTime(text) {
  const date = new Date(text);
  return Number.isNaN(date.valueOf()) ? text : date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

/** Return how long ago something was. */
export function ago(text) {
  const minutes = (Date.now() - new Date(text)) / 60_000;
  if (!(minutes >= 1)) return "just now";
  if (minutes < 60) return `${Math.floor(minutes)} min ago`;
  return minutes < 1440 ? `${Math.floor(minutes / 60)} h ago` : `${count(Math.floor(minutes / 1440), "day")} ago`;
}
