import { createColors } from 'picocolors';
import type { TrialRecord } from '../../domain/record.ts';
import type { Emit, RunEvent } from '../../domain/run.ts';
import { lookLine } from '../../report/presentation/experiment-text.ts';
import { trialTitle } from '../../report/presentation/trial-text.ts';
import { fitted } from '../../shared/display-width.ts';
import { printable } from '../../shared/text.ts';
import { type CliContext, hasColor, isWatched } from './context.ts';
import { LiveLines } from './live-lines.ts';
import { type Colors, longestText, runningLines, statusText } from './progress-text.ts';
import { RunState } from './run-state.ts';

const redrawMs = 100;
/** How often the elapsed times move on while nothing happens. */
const tickMs = 1_000;
/** When plain lines come: soon, so people see that something runs, and then so rarely that a log stays readable. */
const plainAfterMs = [5_000, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000];
const plainEveryMs = 30_000;
const mostProblems = 20;
/** Of a run that is over sooner, people read each problem in the report alone. */
const problemsAfterMs = 5_000;

/** Shows people on stderr how a run goes on, from its first second to its end. */
export interface Progress extends Disposable {
  readonly listen: Emit;
  /** Prints text of others, which must not get in between the lines that are drawn again. */
  print(text: string): void;
}

/** Progress for people: lines that are drawn again on a terminal, a line now and then elsewhere. */
export function createProgress(context: CliContext): Progress {
  return isWatched(context.stderr, context.env) ? new LiveProgress(context) : new PlainProgress(context);
}

/** For `--quiet`: nothing but what others print. */
export function silentProgress({ stderr }: CliContext): Progress {
  return {
    listen: () => undefined,
    print: (text) => void stderr.write(text),
    [Symbol.dispose]: () => undefined,
  };
}

/** Problems are listed as they come, up to a number that is still read; the report has all of them. */
abstract class ProgressBase implements Progress {
  protected readonly state = new RunState();
  protected readonly colors: Colors;
  readonly #createdAt = performance.now();
  #timer: NodeJS.Timeout | undefined;

  constructor({ stderr, env }: CliContext) {
    this.colors = createColors(hasColor(stderr, env));
    this.#start();
  }

  protected get isOver(): boolean {
    return this.#timer === undefined;
  }

  #start(): void {
    this.#timer ??= setInterval(() => this.tick(), tickMs).unref();
  }

  abstract print(text: string): void;
  protected abstract tick(): void;
  protected abstract changed(): void;
  protected abstract line(text: string): string;

  readonly listen: Emit = (event) => {
    this.state.note(event, performance.now());
    // Trials that waited for their judge are a second part of the run.
    if (event.type === 'run-started') this.#start();
    const text = this.#textOf(event);
    if (text !== undefined) this.print(`${this.line(`  ${text}`)}\n`);
    if (event.type === 'run-finished') this[Symbol.dispose]();
    else this.changed();
  };

  #textOf(event: RunEvent): string | undefined {
    const { colors } = this;
    if (event.type === 'run-started' && event.alreadyStored > 0) return alreadyStoredText(event);
    if (event.type === 'trial-finished')
      return this.#isListed(event.record) ? problemText(event.record, colors) : undefined;
    if (event.type === 'round-started') return event.look && lookLine(event.look, event.rounds, event.reference);
    if (event.type === 'trials-requeued') return `${event.count} trials that could not be judged run again`;
    if (event.type === 'run-changed') return event.message;
    return event.type === 'warning' ? `${colors.yellow('warning')}: ${event.message}` : undefined;
  }

  #isListed({ outcome }: TrialRecord): boolean {
    if (outcome === 'pass' || performance.now() - this.#createdAt < problemsAfterMs) return false;
    const { fail, error } = this.state.outcomes;
    return fail + error <= mostProblems;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** On a terminal: counts, cost and estimate, and below them the trials that have been running for a while. */
class LiveProgress extends ProgressBase {
  readonly #lines: LiveLines;
  readonly #createdAt = performance.now();
  #drawnAt = 0;

  constructor(context: CliContext) {
    super(context);
    this.#lines = new LiveLines(context.stderr);
    this.tick();
  }

  print(text: string): void {
    this.#lines.replaceBy(text);
    this.#drawnAt = 0;
    this.changed();
  }

  protected changed(): void {
    if (performance.now() - this.#drawnAt >= redrawMs) this.tick();
  }

  protected tick(): void {
    if (this.isOver) return;
    const now = performance.now();
    this.#drawnAt = now;
    const { columns, rows } = this.#lines;
    const look = { now, columns, colors: this.colors };
    this.#lines.draw([
      statusText(this.state, this.#createdAt, look),
      ...runningLines(this.state, Math.max(1, Math.min(8, rows - 4)), look),
    ]);
  }

  /** A problem takes one line here: the report after the run has it in full. */
  protected line(text: string): string {
    return text.includes('\u001B') ? fittedColored(text, this.#lines.columns) : fitted(text, this.#lines.columns);
  }

  override [Symbol.dispose](): void {
    super[Symbol.dispose]();
    this.#lines.replaceBy('');
  }
}

/** The colour is that of the mark at the start, so the rest can be cut. */
function fittedColored(text: string, columns: number): string {
  const [head = '', mark = '', rest = ''] = text.split(/(\u001B\[[0-9;]*m.*\u001B\[[0-9;]*m)/, 3);
  const width = head.length + mark.replace(/\u001B\[[0-9;]*m/g, '').length;
  return `${head}${mark}${fitted(rest, columns - width)}`;
}

/** In a log: a line after five seconds, then every ten, then every thirty; nothing for a quick run. */
class PlainProgress extends ProgressBase {
  readonly #stderr: CliContext['stderr'];
  readonly #createdAt = performance.now();
  #printed = 0;

  constructor(context: CliContext) {
    super(context);
    this.#stderr = context.stderr;
  }

  print(text: string): void {
    this.#stderr.write(text);
  }

  protected changed(): void {}

  protected line(text: string): string {
    return text;
  }

  protected tick(): void {
    const now = performance.now();
    if (now - this.#createdAt < this.#nextMs()) return;
    while (now - this.#createdAt >= this.#nextMs()) this.#printed++;
    const look = { now, columns: Number.POSITIVE_INFINITY, colors: this.colors };
    const longest = longestText(this.state, look);
    this.print(`${statusText(this.state, this.#createdAt, look)}${longest === undefined ? '' : `\n${longest}`}\n`);
  }

  #nextMs(): number {
    const last = plainAfterMs.length - 1;
    return plainAfterMs[this.#printed] ?? (plainAfterMs[last] ?? 0) + (this.#printed - last) * plainEveryMs;
  }
}

function problemText(record: TrialRecord, colors: Colors): string {
  const mark = record.outcome === 'fail' ? colors.red('✗') : colors.yellow('!');
  return `${mark} ${printable(trialTitle(record))}: ${printable(record.reason)}`;
}

function alreadyStoredText({
  run: { planned, request },
  alreadyStored,
}: Extract<RunEvent, { type: 'run-started' }>): string {
  const isWhole = alreadyStored === planned && !request.experiment;
  if (!isWhole) return `${alreadyStored} of ${planned} trials are stored already`;
  return `Nothing is left to run: ${planned === 1 ? 'the trial is' : `all ${planned} trials are`} stored`;
}
