import type { ListedTool } from '../definitions/listed-server.ts';
import { problemOf, type RequestFinding, type RuleText } from '../definitions/rule.ts';
import { isRefusal, readsLikeError, refusalText } from '../session/answer-text.ts';
import { behaviours } from '../session/behaviours.ts';
import type { RequestEnd, ServerUnderCheck } from '../session/server-under-check.ts';
import { type ToolProblem, withBrokenTool } from './broken-tool.ts';
import { judgeProbe, judgeValidCall, outputBytes } from './judge-call.ts';
import type { CallPlan } from './plan-calls.ts';

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
  const exercise = new Exercise(tool.name, server.timeoutMs * limitsPerTool);
  const isOver = (): boolean =>
    exercise.cutShort !== null || server.lost !== undefined || (isBesideOthers && !exercise.isAnswered);
  const { outputSchema, mayBeRight } = plan;
  for (const args of plan.valid) {
    if (isOver()) break;
    const end = await exercise.timed(() => server.callTool(tool.name, args));
    exercise.countValid(args, end);
    const hasOutputSchema = tool.outputSchema !== undefined;
    exercise.add(judgeValidCall({ tool: tool.name, args, end, outputSchema, hasOutputSchema, mayBeRight }));
  }
  for (const probe of plan.probes) {
    if (isOver()) break;
    const end = await exercise.timed(() => server.callTool(tool.name, probe.args));
    exercise.probes++;
    exercise.add(judgeProbe(probe, end, { wasGood: exercise.ok > 0, refusals: exercise.refusals }));
  }
  exercise.isServerLost = server.lost !== undefined;
  return exercise;
}

interface FoundProblem {
  readonly message: string;
  readonly cause: string | undefined;
  count: number;
}

/** Calls of one tool with their outcomes. */
export class Exercise {
  readonly #tool: string;
  readonly #mostMs: number;
  /** The first problem of each rule; the others are counted. */
  readonly #found = new Map<RuleText, FoundProblem>();
  #spentMs = 0;
  #failures = 0;
  #unanswered = 0;
  #isUnauthorized = false;
  isServerLost = false;
  /** Valid calls that were made. */
  calls = 0;
  /** Of these, answered with a result. */
  ok = 0;
  /** Of these, refused by the server. */
  refused = 0;
  /** Invalid and hostile calls that were made. */
  probes = 0;
  /** Of the valid calls that were answered with a result. */
  readonly latenciesMs: number[] = [];
  largestOutputBytes: number | null = null;
  /** Arguments that were given in a valid call. */
  readonly argumentsTried = new Set<string>();
  /** Texts of the refusals of valid calls. */
  readonly refusals = new Set<string>();
  /** Of the tool beside others, found when all of them were called. */
  readonly concurrencyProblems: ToolProblem[] = [];
  /** The cause of a server that failed, where it is shared with other tools. */
  sharedCause: string | undefined;

  constructor(tool: string, mostMs: number) {
    this.#tool = tool;
    this.#mostMs = mostMs;
  }

  /** Why no further call should be made, or not all were made; null when they were. */
  get cutShort(): string | null {
    if (this.isServerLost) return 'the server was lost';
    if (this.#isUnauthorized) return 'the login does not allow it';
    if (this.#failures >= mostFailures) return `the server failed ${this.#failures} times`;
    if (this.#unanswered >= mostUnanswered) return `${this.#unanswered} of its calls were not answered`;
    return this.#spentMs > this.#mostMs ? 'its calls take very long' : null;
  }

  /** Whether every call was answered. */
  get isAnswered(): boolean {
    return this.#failures + this.#unanswered === 0;
  }

  get problems(): ToolProblem[] {
    const found = [...this.#found].map(([rule, { message, cause, count }]) => {
      const others = count > 1 ? ` (${count} calls like this)` : '';
      const shared = rule === behaviours.serverFailed ? this.sharedCause : undefined;
      return { ...problemOf(rule, { message: `${message}${others}`, tools: [this.#tool] }), cause: shared ?? cause };
    });
    return [...withBrokenTool(this.#tool, this, found), ...this.concurrencyProblems];
  }

  add(noted: readonly RequestFinding[]): void {
    for (const { rule, message, cause } of noted) {
      const earlier = this.#found.get(rule);
      if (earlier) earlier.count++;
      else this.#found.set(rule, { message, cause, count: 1 });
    }
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
    this.calls++;
    for (const name of Object.keys(args)) this.argumentsTried.add(name);
    if (end.kind !== 'answer') return;
    if (isRefusal(end.answer) || readsLikeError(end.answer, this.#tool, args)) {
      this.refused++;
      this.refusals.add(refusalText(end.answer));
    } else if (end.answer.kind === 'result') {
      this.ok++;
      this.latenciesMs.push(end.answer.latencyMs);
      this.largestOutputBytes = Math.max(this.largestOutputBytes ?? 0, outputBytes(end.answer.result));
    }
  }
}
