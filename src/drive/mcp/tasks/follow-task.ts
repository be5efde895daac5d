import { setTimeout as pause } from 'node:timers/promises';
import { AssayError } from '../../../domain/errors.ts';
import { isRecord } from '../../../shared/json.ts';
import { inputFor, neededInput } from '../dialects/input-rounds.ts';
import type { IncomingHandlers } from '../incoming.ts';
import type { MessageRules } from '../schemas/message-rules.ts';
import { refusalText } from '../schemas/refusal.ts';
import type { McpAnswer, McpRequestOptions, TaskExchange } from '../session.ts';

type Params = Readonly<Record<string, unknown>>;

/** How a session is used for the requests of a task. */
interface TaskLink {
  readonly label: string;
  /** Of the client. */
  readonly capabilities: Params;
  readonly incoming: IncomingHandlers;
  /** The rules by which official clients refuse messages. */
  readonly rules: MessageRules;
  request(method: string, params: Params, options: McpRequestOptions): Promise<McpAnswer>;
}

interface Task {
  readonly taskId: string;
  readonly status: string;
  readonly statusMessage: string | undefined;
  readonly pollMs: number;
  readonly fields: Params;
}

interface FollowOptions extends McpRequestOptions {
  readonly onExchange?: ((exchange: TaskExchange) => void) | undefined;
}

/** A server that names no interval, or one of no time, is polled with a pause all the same. */
const usualPollMs = 500;
const leastPollMs = 20;
const mostPollMs = 5_000;

/** MCP has no code for this; the Language Server Protocol, which is JSON-RPC too, uses this one. */
const requestCancelled = -32_800;

const statuses = ['working', 'input_required', 'completed', 'failed', 'cancelled'];

/** The task that a result stands for; undefined for a result that is complete. */
export function taskIn(label: string, result: Params): Task | undefined {
  if (result.resultType === 'task') return taskOf(label, result);
  return isRecord(result.task) && result.content === undefined ? taskOf(label, result.task) : undefined;
}

function taskOf(label: string, fields: Params): Task {
  const { taskId, status, statusMessage } = fields;
  const interval = fields.pollIntervalMs ?? fields.pollInterval;
  if (typeof taskId !== 'string' || taskId === '') throw violation(label, 'without `taskId`');
  if (typeof status !== 'string' || !statuses.includes(status)) {
    throw violation(label, `with the status ${JSON.stringify(status)?.slice(0, 100) ?? 'missing'}`);
  }
  const pollMs = typeof interval === 'number' && Number.isFinite(interval) ? interval : usualPollMs;
  return {
    taskId,
    status,
    statusMessage: typeof statusMessage === 'string' ? statusMessage : undefined,
    pollMs: Math.min(mostPollMs, Math.max(leastPollMs, pollMs)),
    fields,
  };
}

function violation(label: string, how: string): AssayError {
  return new AssayError('MCP_PROTOCOL_VIOLATED', `The MCP server "${label}" answered with a task ${how}.`);
}

/** Follows a task until it ends, and gives the answer that the call would have had. */
export class TaskFollower {
  readonly #link: TaskLink;
  readonly #options: FollowOptions;
  readonly #sinceMs: number;
  /** Of requests for input, each of which is answered once. */
  readonly #answered = new Set<string>();

  constructor(link: TaskLink, options: FollowOptions, sinceMs: number) {
    this.#link = link;
    this.#options = options;
    this.#sinceMs = sinceMs;
  }

  async answerOf(first: Task): Promise<McpAnswer> {
    try {
      return { ...(await this.#follow(first)), latencyMs: performance.now() - this.#sinceMs };
    } catch (error) {
      if (isGivenUp(error)) await this.#cancel(first);
      throw error;
    }
  }

  async #follow(first: Task): Promise<McpAnswer> {
    const isModern = first.fields.resultType === 'task';
    let task = first;
    while (task.status === 'working' || (task.status === 'input_required' && isModern)) {
      if (task.status === 'input_required') await this.#update(task);
      await this.#wait(task.pollMs);
      const answer = await this.#ask('tasks/get', { taskId: task.taskId });
      if (answer.kind === 'error') return answer;
      task = { ...taskOf(this.#link.label, answer.result), taskId: task.taskId };
    }
    if (task.status === 'cancelled') return ended(requestCancelled, `The task was cancelled${why(task)}`);
    // The older protocol delivers requests for input and the result of the call with the answer to this one.
    return isModern ? endOf(this.#link, task) : this.#ask('tasks/result', { taskId: task.taskId });
  }

  /** Answers the open requests of a task as if the server had sent them on their own. */
  async #update({ taskId, fields }: Task): Promise<void> {
    const { label, capabilities, incoming, rules } = this.#link;
    const requests = Object.entries(isRecord(fields.inputRequests) ? fields.inputRequests : {});
    const open = requests.filter(([key]) => !this.#answered.has(key));
    if (open.length === 0) return;
    const asking = { label, rules, method: 'tools/call', capabilities };
    const needed = neededInput(asking, { inputRequests: Object.fromEntries(open) });
    const { timeoutMs, signal } = this.#options;
    const input = await inputFor(needed, incoming, asking, { timeoutMs, signal });
    for (const [key] of open) this.#answered.add(key);
    await this.#ask('tasks/update', { taskId, ...input });
  }

  async #ask(method: string, params: Params): Promise<McpAnswer> {
    const timeoutMs = Math.max(1, Math.round(this.#sinceMs + this.#options.timeoutMs - performance.now()));
    const answer = await this.#link.request(method, params, { timeoutMs, signal: this.#options.signal });
    this.#options.onExchange?.({ method, params, answer });
    return answer;
  }

  async #wait(pollMs: number): Promise<void> {
    const { signal, timeoutMs } = this.#options;
    const leftMs = this.#sinceMs + timeoutMs - performance.now();
    if (leftMs <= 0) {
      const message = `The MCP server "${this.#link.label}" did not end the task of tools/call within ${timeoutMs} ms.`;
      throw new AssayError('MCP_SERVER_TIMEOUT', message);
    }
    await pause(Math.min(pollMs, leftMs), undefined, signal ? { signal } : {}).catch(() => {
      const message = `The task of the MCP server "${this.#link.label}" was stopped before it ended.`;
      throw new AssayError('INTERRUPTED', message);
    });
  }

  /** Best effort: the caller does not wait for the task any more. */
  async #cancel({ taskId }: Task): Promise<void> {
    const params = { taskId };
    const answer = await this.#link.request('tasks/cancel', params, { timeoutMs: 1_000 }).catch(() => undefined);
    if (answer) this.#options.onExchange?.({ method: 'tasks/cancel', params, answer });
  }
}

function isGivenUp(error: unknown): boolean {
  return error instanceof AssayError && (error.code === 'MCP_SERVER_TIMEOUT' || error.code === 'INTERRUPTED');
}

function endOf({ label, rules }: TaskLink, task: Task): McpAnswer {
  const { result, error } = task.fields;
  if (task.status === 'completed') {
    if (!isRecord(result)) throw violation(label, 'that is completed and has no `result`');
    const refusal = rules.result('modern', 'tools/call', result);
    if (refusal) throw violation(label, `whose result official clients refuse: ${refusalText(refusal)}`);
    return { kind: 'result', result, latencyMs: 0 };
  }
  const { code, message, data } = isRecord(error) ? error : {};
  if (typeof code !== 'number' || typeof message !== 'string')
    throw violation(label, 'that has failed and has no `error`');
  return { ...ended(code, message), ...(data !== undefined && { data }) };
}

function ended(code: number, message: string): McpAnswer & { kind: 'error' } {
  return { kind: 'error', code, message, latencyMs: 0 };
}

function why({ statusMessage }: Task): string {
  return statusMessage === undefined ? '' : `: ${statusMessage}`;
}
