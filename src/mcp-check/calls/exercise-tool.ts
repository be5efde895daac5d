import type { ListedTool } from '../definitions/listed-server.ts';
import { type CheckProblem, problemOf, type RequestFinding, type RuleText } from '../definitions/rule.ts';
import { isRefusal, readsLikeError, refusalText } from '../session/answer-text.ts';
import type { RequestEnd, ServerUnderCheck } from '../session/server-under-check.ts';
import { judgeProbe, judgeValidCall, outputBytes } from './judge-call.ts';
import type { CallPlan } from './plan-calls.ts';

/** A problem of a tool, with the reason that the server gave for it. */
export interface ToolProblem extends CheckProblem {
  readonly cause: string | undefined;
}

/** Problems found by calling a tool, each kind once. */
class ToolOutcomes {
  readonly #tool: string;
  readonly #found = new Map<
    RuleText,
    { readonly message: string; readonly cause: string | undefined; count: number }
  >();

  constructor(tool: string) {
    this.#tool = tool;
  }

  /** Takes note of problems; the first of its kind is reported, the others are counted. */
  add(noted: readonly RequestFinding[]): void {
    for (const { rule, message, cause } of noted) {
      const earlier = this.#found.get(rule);
      if (earlier) earlier.count++;
      else this.#found.set(rule, { message, cause, count: 1 });
    }
  }

  problems(): ToolProblem[] {
    return [...this.#found].map(([rule, { message, cause, count }]) => {
      const others = count > 1 ? ` (${count} calls like this)` : '';
      return { ...problemOf(rule, { message: `${message}${others}`, tools: [this.#tool] }), cause };
    });
  }
}

/** The result of calling one tool. */
export interface Exercise {
  /** Valid calls that were made. */
  readonly calls: number;
  /** Of these, answered with a result. */
  readonly ok: number;
  /** Of these, refused by the server. */
  readonly refused: number;
  /** Invalid and hostile calls that were made. */
  readonly probes: number;
  /** Of the valid calls that were answered with a result. */
  readonly latenciesMs: readonly number[];
  readonly largestOutputBytes: number | null;
  /** Arguments that were given in a valid call. */
  readonly argumentsTried: readonly string[];
  /** Why not all calls were made; null when they were. */
  readonly cutShort: string | null;
  readonly problems: readonly ToolProblem[];
  /** Texts of the refusals of valid calls. */
  readonly refusals: readonly string[];
  /** Whether every call was answered. */
  readonly isAnswered: boolean;
}

type MadePlan = Extract<CallPlan, { leftOut: undefined }>;

const mostFailures = 3;
const mostUnanswered = 2;
/** A tool that needs its whole time limit may do so a few times. */
const limitsPerTool = 3;

/**
 * Calls a tool with valid arguments, then with wrong ones. Beside other tools it ends at the first call without an
 * answer, which any of them may have caused.
 */
export async function exerciseTool(
  server: ServerUnderCheck,
  tool: ListedTool,
  plan: MadePlan,
  isBesideOthers: boolean,
): Promise<Exercise> {
  const outcomes = new ToolOutcomes(tool.name);
  const tally = new Tally(tool.name, server.timeoutMs * limitsPerTool);
  const isOver = (): boolean =>
    tally.cutShort !== null || server.lost !== undefined || (isBesideOthers && !tally.isAnswered);
  for (const args of plan.valid) {
    if (isOver()) break;
    const end = await tally.timed(() => server.callTool(tool.name, args));
    tally.countValid(args, end);
    const { outputSchema, isSurelyValid } = plan;
    outcomes.add(judgeValidCall({ tool: tool.name, args, end, outputSchema, isSurelyValid }));
  }
  for (const probe of plan.probes) {
    if (isOver()) break;
    const end = await tally.timed(() => server.callTool(tool.name, probe.args));
    tally.probes++;
    outcomes.add(judgeProbe(probe, end, { wasGood: tally.ok > 0, refusals: tally.refusals }));
  }
  const totals = tally.totals();
  const cutShort = server.lost === undefined ? totals.cutShort : 'the server was lost';
  return { ...totals, cutShort, problems: outcomes.problems() };
}

class Tally {
  readonly #tool: string;
  readonly #mostMs: number;
  readonly #latenciesMs: number[] = [];
  readonly #arguments = new Set<string>();
  #spentMs = 0;
  #failures = 0;
  #unanswered = 0;
  #isUnauthorized = false;
  #largestOutputBytes: number | null = null;
  #refused = 0;
  #calls = 0;
  /** Refusals of valid calls. */
  readonly refusals = new Set<string>();
  ok = 0;
  probes = 0;

  constructor(tool: string, mostMs: number) {
    this.#tool = tool;
    this.#mostMs = mostMs;
  }

  /** Why no further call should be made. */
  get cutShort(): string | null {
    if (this.#isUnauthorized) return 'the login does not allow it';
    if (this.#failures >= mostFailures) return `the server failed ${this.#failures} times`;
    if (this.#unanswered >= mostUnanswered) return `${this.#unanswered} of its calls were not answered`;
    return this.#spentMs > this.#mostMs ? 'its calls take very long' : null;
  }

  get isAnswered(): boolean {
    return this.#failures + this.#unanswered === 0;
  }

  async timed(call: () => Promise<RequestEnd>): Promise<RequestEnd> {
    const began = performance.now();
    const end = await call();
    this.#spentMs += performance.now() - began;
    if (end.kind === 'failed') this.#failures++;
    if (end.kind === 'unauthorized') this.#isUnauthorized = true;
    if (end.kind === 'timeout') this.#unanswered++;
    return end;
  }

  countValid(args: Readonly<Record<string, unknown>>, end: RequestEnd): void {
    this.#calls++;
    for (const name of Object.keys(args)) this.#arguments.add(name);
    if (end.kind !== 'answer') return;
    if (isRefusal(end.answer) || readsLikeError(end.answer, this.#tool)) {
      this.#refused++;
      this.refusals.add(refusalText(end.answer));
    } else if (end.answer.kind === 'result') {
      this.ok++;
      this.#latenciesMs.push(end.answer.latencyMs);
      this.#largestOutputBytes = Math.max(this.#largestOutputBytes ?? 0, outputBytes(end.answer.result));
    }
  }

  totals(): Omit<Exercise, 'problems'> {
    return {
      calls: this.#calls,
      ok: this.ok,
      refused: this.#refused,
      probes: this.probes,
      latenciesMs: this.#latenciesMs,
      largestOutputBytes: this.#largestOutputBytes,
      argumentsTried: [...this.#arguments],
      cutShort: this.cutShort,
      refusals: [...this.refusals],
      isAnswered: this.isAnswered,
    };
  }
}
