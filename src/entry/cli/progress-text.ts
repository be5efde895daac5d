import type { createColors } from 'picocolors';
import type { CostSum } from '../../domain/cost-sum.ts';
import { displayWidth, fitted, fittedInside, padded } from '../../shared/display-width.ts';
import { costText, counted, grouped } from '../../shared/format.ts';
import { printable } from '../../shared/text.ts';
import type { RunningTrial, RunState } from './run-state.ts';

export type Colors = ReturnType<typeof createColors>;

/** Clock and place of a text. */
export interface Look {
  readonly now: number;
  readonly columns: number;
  readonly colors: Colors;
}

/** Trials that end sooner would come and go too quickly to be read. */
const shownAfterMs = 1_000;
const leastTitle = 16;

interface Part {
  readonly text: string;
  readonly color: (text: string) => string;
  /** On a line that is too narrow, parts with the highest number are left out first. */
  readonly gives: number;
}

/** `12/40  ✓ 9  ✗ 3  4 running  1:12  $0.42  about 3 min left`, as much of it as fits. */
export function statusText(state: RunState, createdAt: number, { now, columns, colors }: Look): string {
  const elapsed = clockText(now - (state.beganAt ?? createdAt));
  if (state.beganAt === undefined) return fitted(`  starting  ${elapsed}`, columns);
  const { outcomes, alreadyStored, planned, finished, running } = state;
  const leftMs = state.leftMs(now);
  const perSecond = (finished * 1_000) / Math.max(now - state.beganAt, 1);
  const parts: Part[] = [
    { text: `${grouped(alreadyStored + finished)}/${grouped(planned)}`, color: String, gives: 0 },
    { text: `✓ ${grouped(outcomes.pass)}`, color: colors.green, gives: 0 },
    ...partIf(outcomes.fail > 0, { text: `✗ ${grouped(outcomes.fail)}`, color: colors.red, gives: 0 }),
    ...partIf(outcomes.error > 0, { text: `! ${grouped(outcomes.error)}`, color: colors.yellow, gives: 0 }),
    ...partIf(state.isPaused, { text: 'paused', color: colors.yellow, gives: 0 }),
    ...partIf(running.size > 0, { text: `${running.size} running`, color: String, gives: 3 }),
    { text: elapsed, color: colors.dim, gives: 2 },
    ...partIf(perSecond >= 10, { text: `${grouped(Math.round(perSecond))}/s`, color: colors.dim, gives: 4 }),
    ...costOf(state.cost).map((text) => ({ text, color: String, gives: 1 })),
    ...partIf(leftMs !== undefined, { text: `about ${roughTime(leftMs ?? 0)} left`, color: colors.dim, gives: 1 }),
  ];
  return `  ${partsThatFit(parts, columns - 2)
    .map(({ text, color }) => color(text))
    .join('  ')}`;
}

function partIf(isWanted: boolean, part: Part): Part[] {
  return isWanted ? [part] : [];
}

function partsThatFit(parts: readonly Part[], columns: number): readonly Part[] {
  const width = parts.reduce((sum, { text }) => sum + displayWidth(text) + 2, -2);
  const first = Math.max(...parts.map(({ gives }) => gives));
  if (width <= columns || first === 0) return parts;
  const index = parts.findIndex(({ gives }) => gives === first);
  return partsThatFit(
    parts.filter((_, other) => other !== index),
    columns,
  );
}

/** Runs without paid calls say nothing of money. */
function costOf({ knownUsd, unknownTrials }: CostSum): string[] {
  if (knownUsd === 0) return [];
  return [`${unknownTrials > 0 ? 'at least ' : ''}${costText(knownUsd)}`];
}

/** The trials that have been running longest, one in a line, with what they did last. */
export function runningLines(state: RunState, most: number, look: Look): string[] {
  const trials = longRunning(state, look.now, shownAfterMs);
  const listed = trials.length > most ? trials.slice(0, most - 1) : trials;
  const more = trials.length - listed.length;
  const titles = titleWidth(listed, look.columns);
  const lines = listed.map((trial) => runningLine(trial, titles, look));
  return more > 0 ? [...lines, look.colors.dim(`    and ${counted(more, 'more trial')}`)] : lines;
}

/** The trial that has been running longest, for a log. */
export function longestText(state: RunState, look: Look): string | undefined {
  const [longest] = longRunning(state, look.now, 0);
  if (!longest) return undefined;
  const which = state.running.size > 1 ? 'longest: ' : '';
  const action = longest.action === undefined ? '' : `  ${fitted(longest.action, 120)}`;
  return `    ${which}${clockText(look.now - longest.beganAt)}  ${printable(longest.title)}${action}`;
}

function longRunning({ running }: RunState, now: number, leastMs: number): RunningTrial[] {
  return [...running.values()].filter(({ beganAt }) => now - beganAt >= leastMs);
}

/** At most half of the line, so the action has room. */
function titleWidth(trials: readonly RunningTrial[], columns: number): number {
  const widest = trials.reduce((width, { title }) => Math.max(width, displayWidth(printable(title))), 0);
  return Math.min(widest, Math.max(leastTitle, Math.floor(columns / 2) - 8));
}

function runningLine({ title, beganAt, action }: RunningTrial, titles: number, { now, columns, colors }: Look): string {
  const head = `    ${clockText(now - beganAt).padStart(5)}  ${padded(fittedInside(printable(title), titles), titles)}`;
  const room = columns - displayWidth(head) - 2;
  if (action === undefined || room < 8) return fitted(head.trimEnd(), columns);
  return `${head}  ${colors.dim(fitted(action, room))}`;
}

/** `0:07`, `12:30`, `1:02:03`. */
function clockText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const two = (value: number): string => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${two(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}

/** An estimate, no more exact than it is: `20 s`, `4 min`, `2 h 10 min`. */
function roughTime(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 10) return `${Math.max(1, Math.ceil(seconds))} s`;
  if (seconds < 90) return `${Math.ceil(seconds / 10) * 10} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${Math.floor((minutes % 60) / 10) * 10} min`;
}
