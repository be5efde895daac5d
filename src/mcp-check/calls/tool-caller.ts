import { setImmediate as otherWork } from 'node:timers/promises';
import type { ListedTool } from '../definitions/listed-server.ts';
import { problemOf } from '../definitions/rule.ts';
import { behaviours } from '../session/behaviours.ts';
import type { ServerAccess } from '../session/server-access.ts';
import type { ServerUnderCheck } from '../session/server-under-check.ts';
import type { ToolProblem } from './broken-tool.ts';
import { type Exercise, exerciseTool } from './exercise-tool.ts';
import { type CallPlan, type CallSettings, planCalls } from './plan-calls.ts';
import { isReadOnly } from './reason-to-call.ts';
import { sampledTools } from './tool-sample.ts';

/** How the tools of a server are to be called. */
export interface CallRequest extends ServerAccess, CallSettings {
  /** Most tools that are called at the same time; only those that are marked read-only are. */
  readonly concurrency: number;
  onTool?(tool: string, number: number, total: number): void;
}

/** A tool, and the result of calling it. */
export interface CalledTool {
  readonly tool: ListedTool;
  readonly plan: CallPlan;
  exercise: Exercise | undefined;
}

/** Calls tools that change nothing beside each other, and all others alone. */
export class ToolCaller {
  readonly #server: ServerUnderCheck;
  readonly #request: CallRequest;
  readonly #running = new Set<Promise<void>>();
  /** Called beside others while a call was not answered: which tool caused it is not known. */
  #unclear: CalledTool[] = [];
  #isOneByOne: boolean;

  constructor(server: ServerUnderCheck, request: CallRequest) {
    this.#server = server;
    this.#request = request;
    this.#isOneByOne = request.concurrency === 1;
  }

  async callAll(tools: readonly ListedTool[]): Promise<CalledTool[]> {
    const called: CalledTool[] = [];
    const sample = sampledTools(tools, this.#request);
    for (const [index, tool] of tools.entries()) {
      // Arguments for thousands of tools take a while; between them an interrupt is noticed.
      await otherWork();
      this.#request.signal?.throwIfAborted();
      this.#request.onTool?.(tool.name, index + 1, tools.length);
      const plan = this.#planOf(tool, sample.has(tool));
      const one: CalledTool = { tool, plan, exercise: undefined };
      called.push(one);
      if (plan.leftOut === undefined) await this.#call(one);
    }
    await this.#drain();
    return called;
  }

  #planOf(tool: ListedTool, isInSample: boolean): CallPlan {
    if (this.#server.lost !== undefined) return { leftOut: 'the server was lost before' };
    return planCalls(tool, this.#request, isInSample);
  }

  async #call(one: CalledTool): Promise<void> {
    if (this.#isOneByOne || !isReadOnly(one.tool)) {
      await this.#drain();
      return this.#exercise(one, false);
    }
    while (this.#running.size >= this.#request.concurrency) await Promise.race(this.#running);
    const running = this.#exercise(one, true).finally(() => this.#running.delete(running));
    this.#running.add(running);
    // An interrupt is thrown where the others are waited for.
    running.catch(() => undefined);
  }

  /** Waits for all; a tool whose calls were not all answered is called again alone. */
  async #drain(): Promise<void> {
    await Promise.all(this.#running);
    const unclear = this.#unclear;
    this.#unclear = [];
    for (const one of unclear) {
      if (this.#server.lost === undefined) await this.#exercise(one, false);
      else if (one.exercise && unclear.length > 1)
        one.exercise.sharedCause = 'the server failed while they were called at the same time.';
    }
    // A tool that does not answer when it is alone either explains why the others were not answered beside it.
    if (unclear.some(({ exercise }) => !exercise?.isAnswered)) return;
    for (const { exercise, tool } of unclear) exercise?.concurrencyProblems.push(unansweredTogether(tool.name));
  }

  async #exercise(one: CalledTool, isBesideOthers: boolean): Promise<void> {
    if (one.plan.leftOut !== undefined) return;
    one.exercise = await exerciseTool(this.#server, one.tool, one.plan, isBesideOthers);
    if (!isBesideOthers || one.exercise.isAnswered) return;
    this.#unclear.push(one);
    this.#isOneByOne = true;
  }
}

/** A tool that was answered only when no other was called. */
function unansweredTogether(tool: string): ToolProblem {
  const cause = 'not answered while other tools were called, and answered alone.';
  const message = `It was ${cause}`;
  return { ...problemOf(behaviours.concurrentCallsUnanswered, { message, tools: [tool] }), cause };
}
