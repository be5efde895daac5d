import { setImmediate as nextTurn } from 'node:timers/promises';
import { AssayError, asAssayError } from '../../domain/errors.ts';
import { faultOf } from '../../domain/outcome.ts';
import type { NewJudgement, WaitingJudgement } from '../../keep/spool/judgement-queue.ts';
import type { SpanSpool } from '../../keep/spool/span-spool.ts';
import type { Store } from '../../keep/store/store.ts';
import type { OtlpSpan } from '../../load/imports/formats/otlp/otlp-span.ts';
import { pause } from '../../shared/async.ts';
import { sha256 } from '../../shared/ids.ts';
import type { Project } from '../config/project.ts';
import type { Rule } from './prepare-rules.ts';
import { judgedTrialId, RuleJudge } from './rule-judge.ts';
import { type JudgedPlace, RuleRuns } from './rule-runs.ts';
import { matchesTrace } from './sampling.ts';

interface TraceRulesOptions {
  readonly project: Project;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly store: Store;
  readonly spool: SpanSpool;
  warn(message: string): void;
  /** Called at the start, and when a run of a rule has ended. */
  onRunsEnded(): Promise<void>;
}

interface RuleAtWork {
  readonly judge: RuleJudge;
  readonly runs: RuleRuns;
}

interface PlacedJudgement extends WaitingJudgement {
  readonly at: JudgedPlace;
}

const atOnce = 8;
const pauseMs = 100;
const longestPauseMs = 10_000;
const reportMs = 1_000;
/** Ctrl-C waits so long for trials that are judged; the others wait for the next start. */
const lastMs = 10_000;

/**
 * Judges collected trials by the rules of the project. A trial waits in the spool until its verdict is stored: its place
 * is durable before it is judged, and its id follows from rule and trace, so a crash makes none twice.
 */
export class TraceRules implements AsyncDisposable {
  readonly #options: TraceRulesOptions;
  readonly #rules: ReadonlyMap<string, RuleAtWork>;
  readonly #ending = new AbortController();
  readonly #interrupt = new AbortController();
  readonly #working: Promise<void>;
  #judged = 0;
  #reportedAt = 0;

  constructor(rules: readonly Rule[], options: TraceRulesOptions) {
    const { project, env, store, spool } = options;
    this.#options = options;
    this.#rules = new Map(
      rules.map((rule) => {
        const judge = new RuleJudge(rule, project, env, this.#interrupt.signal);
        judge.restoreSpending(spool.fact(spendingFact(rule.name)));
        const { contentHash, scenarios } = judge;
        const runs = new RuleRuns({ name: rule.name, every: rule.config.runs, contentHash, scenarios }, store, spool);
        return [rule.name, { judge, runs }];
      }),
    );
    this.#working = this.#workUntilEnd();
  }

  /** Trials that rules have judged. */
  get judged(): number {
    return this.#judged;
  }

  /** Rules that a trace waits for: they fit it, and it is in their share. */
  judgementsOf(traceId: string, trialId: string, spans: readonly OtlpSpan[]): Omit<NewJudgement, 'isReopened'>[] {
    return [...this.#rules.values()].flatMap(({ judge: { rule } }) =>
      matchesTrace(rule.config.match, spans) && isInShare(rule, traceId) ? [{ rule: rule.name, traceId, trialId }] : [],
    );
  }

  /** The verdicts on a trace that are stored, to be given again. */
  async verdictsOf(traceId: string, trialId: string): Promise<NewJudgement[]> {
    const names = [...this.#rules.keys()];
    const stored = await this.#options.store.storedTrialIds(names.map((name) => judgedTrialId(name, traceId)));
    const judged = names.filter((rule) => stored.has(judgedTrialId(rule, traceId)));
    return judged.map((rule) => ({ rule, traceId, trialId, isReopened: true }));
  }

  /** Marks the stored verdicts on traces that were made again: until they are judged again, none of them holds. */
  async reopen(judgements: readonly NewJudgement[]): Promise<void> {
    const { store } = this.#options;
    for (const { rule, traceId, isReopened } of judgements) {
      const trialId = judgedTrialId(rule, traceId);
      const record = isReopened ? await store.findTrial(trialId) : undefined;
      if (!record) continue;
      const message = 'Spans came after the trace was judged; it is judged again.';
      const fault = faultOf(new AssayError('TRACE_INCOMPLETE', message));
      const trace = (await store.readTrace(trialId)) ?? [];
      await store.replaceTrials([{ record: { ...record, outcome: 'error', reason: message, fault }, trace }]);
    }
  }

  /** Goes on for a while until nothing waits. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    const impatience = setTimeout(() => this.#interrupt.abort(), lastMs);
    await this.#working;
    try {
      while (!this.#interrupt.signal.aborted && (await this.#judgeNext()) > 0) await nextTurn();
      for (const { runs, judge } of this.#rules.values()) {
        await runs[Symbol.asyncDispose]();
        await judge[Symbol.asyncDispose]();
      }
    } catch (error) {
      this.#options.warn(`Traces wait for rules until the next start: ${asAssayError(error).message}`);
    } finally {
      clearTimeout(impatience);
    }
  }

  async #workUntilEnd(): Promise<void> {
    let waitMs = 0;
    let isFirst = true;
    while (!this.#ending.signal.aborted) {
      try {
        if (isFirst) await this.#options.onRunsEnded();
        isFirst = false;
        const judged = await this.#judgeNext();
        await this.#maintain(Date.now());
        waitMs = judged === 0 ? pauseMs : 0;
      } catch (error) {
        if (waitMs < longestPauseMs) this.#options.warn(asAssayError(error).message);
        waitMs = Math.min(longestPauseMs, Math.max(1_000, waitMs * 2));
      }
      await pause(waitMs, this.#ending.signal);
    }
  }

  async #maintain(now: number): Promise<void> {
    if (now - this.#reportedAt < reportMs) return;
    this.#reportedAt = now;
    let hasEnded = false;
    for (const { runs } of this.#rules.values()) {
      await runs.report();
      hasEnded = (await runs.endIfOver(now)) || hasEnded;
    }
    if (hasEnded) await this.#options.onRunsEnded();
  }

  /** Judges those that wait longest, some at a time; gives how many no longer wait. */
  async #judgeNext(): Promise<number> {
    const { spool, store } = this.#options;
    const waiting = spool.judgements.next(atOnce);
    if (waiting.length === 0) return 0;
    const idOf = ({ rule, traceId }: NewJudgement): string => judgedTrialId(rule, traceId);
    const stored = await store.storedTrialIds(waiting.map(idOf));
    // A crash left a verdict that is stored, unless late spans reopened it; and a rule may have left the config.
    const gone = waiting.filter((each) => (stored.has(idOf(each)) && !each.isReopened) || !this.#rules.has(each.rule));
    const placed = await this.#placed(waiting.filter((each) => !gone.includes(each)));
    const judged = await Promise.all(placed.map((each) => this.#judge(each)));
    const done = placed.filter((_, index) => judged[index]);
    await spool.judgements.change(({ remove, setFact }) => {
      for (const { judgementNo } of [...gone, ...done]) remove(judgementNo);
      for (const [name, { judge }] of this.#rules) {
        const spent = judge.spentToday();
        if (spent !== undefined) setFact(spendingFact(name), spent);
      }
    });
    return gone.length + done.length;
  }

  async #placed(waiting: readonly WaitingJudgement[]): Promise<PlacedJudgement[]> {
    const now = Date.now();
    const placed: PlacedJudgement[] = [];
    const given: Awaited<ReturnType<RuleRuns['places']>>[] = [];
    for (const [name, { runs, judge }] of this.#rules) {
      judge.startDay(now);
      const own = waiting.filter(({ rule }) => rule === name);
      const again = await this.#placesOfVerdicts(own);
      const kept = own.filter(({ place, judgementNo }) => place !== null && !again.has(judgementNo));
      if (kept.length > 0) await runs.resume();
      placed.push(...kept.map((each) => ({ ...each, at: JSON.parse(each.place ?? '') as JudgedPlace })));
      placed.push(...own.flatMap((each) => placedAt(each, again.get(each.judgementNo))));
      const fresh = own.filter(({ place, judgementNo }) => place === null && !again.has(judgementNo));
      if (fresh.length === 0) continue;
      const places = await runs.places(fresh.length, now);
      placed.push(...fresh.map((each, index) => ({ ...each, at: places.places[index] as JudgedPlace })));
      given.push(places);
    }
    await this.#options.spool.judgements.change(({ place, setFact }) => {
      for (const { judgementNo, at } of placed) place(judgementNo, JSON.stringify(at));
      for (const { fact } of given) setFact(...fact);
    });
    for (const { onKept } of given) onKept();
    return placed;
  }

  /** Verdicts that are given again stay where they are. */
  async #placesOfVerdicts(waiting: readonly WaitingJudgement[]): Promise<ReadonlyMap<number, JudgedPlace>> {
    const places = new Map<number, JudgedPlace>();
    for (const { judgementNo, rule, traceId, isReopened } of waiting) {
      const record = isReopened ? await this.#options.store.findTrial(judgedTrialId(rule, traceId)) : undefined;
      if (record) places.set(judgementNo, { runId: record.runId, ordinal: record.ordinal });
    }
    return places;
  }

  /** Whether the trial waits no longer: its verdict is stored, or the trial itself was removed. */
  async #judge({ rule, traceId, trialId, at }: PlacedJudgement): Promise<boolean> {
    const { store } = this.#options;
    const [record, trace] = [await store.findTrial(trialId), await store.readTrace(trialId)];
    if (!record || !trace) return true;
    const judged = await this.#rules.get(rule)?.judge.judge({ record, trace }, traceId, at);
    if (!judged) return false;
    if (await store.findTrial(judged.record.trialId)) await store.replaceTrials([judged]);
    else await store.saveTrials([judged]);
    this.#judged++;
    return true;
  }
}

function placedAt(waiting: WaitingJudgement, at: JudgedPlace | undefined): PlacedJudgement[] {
  return at ? [{ ...waiting, at }] : [];
}

function spendingFact(rule: string): string {
  return `spent ${rule}`;
}

/** Independent of the share that the collector keeps, which follows from the id alone. */
function isInShare({ name, config: { sample } }: Rule, traceId: string): boolean {
  return Number.parseInt(sha256(`${name}\n${traceId}`).slice(0, 12), 16) / 16 ** 12 < sample;
}
