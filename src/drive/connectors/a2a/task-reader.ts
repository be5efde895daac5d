import type { Loss } from '../../../domain/loss.ts';
import { isRecord } from '../../../shared/json.ts';

/** States without the prefix that 1.0 puts before them, in lower case with hyphens. */
export type TaskState = 'message' | 'completed' | 'input-required' | 'rejected' | 'running' | 'failed';

interface Artifact {
  text: string;
}

/** The answer of an agent so far: one message, or a task that it works on, in either version of the protocol. */
export class TaskReader {
  readonly #artifacts = new Map<string, Artifact>();
  #message: string | undefined;
  #statusText = '';
  #historyText = '';
  #stateName = '';
  taskId: string | undefined;
  contextId: string | undefined;
  /** Parts that the agent sent and that could not be placed. */
  readonly gaps: Loss[] = [];
  /** Free-form facts of the agent, such as token counts. */
  metadata: Record<string, unknown> = {};

  /** Takes the result of a response or of an event of a stream; returns whether it added text. */
  add(result: unknown): boolean {
    const before = this.text.length;
    const [kind, value] = isRecord(result) ? unwrapped(result) : (['unknown', {}] as const);
    if (kind === 'unknown') {
      this.#lose(`a result of an unknown kind (${Object.keys(value).slice(0, 3).join(', ')})`, 'result');
      return false;
    }
    this.#note(kind, value);
    if (kind === 'message') this.#takeMessage(value);
    else if (kind === 'task') this.#takeTask(value);
    else if (kind === 'status') this.#takeStatus(value.status);
    else this.#takeArtifact(value.artifact, value.append);
    return this.text.length > before;
  }

  get isEmpty(): boolean {
    return this.#message === undefined && this.#stateName === '' && this.#artifacts.size === 0;
  }

  get stateName(): string {
    return this.#stateName;
  }

  get state(): TaskState {
    if (this.#message !== undefined) return 'message';
    const name = this.#stateName;
    if (name === 'completed' || name === 'input-required' || name === 'rejected') return name;
    return name === 'submitted' || name === 'working' || name === '' ? 'running' : 'failed';
  }

  /** The words of the agent: its message, what it made, or what it says about its state. */
  get text(): string {
    if (this.#message !== undefined) return this.#message;
    const made = [...this.#artifacts.values()].map(({ text }) => text).join('\n');
    if (this.state === 'completed') return made || this.#statusText || this.#historyText;
    return this.state === 'running' ? made : this.#statusText || made || this.#historyText;
  }

  /** The agent may repeat words of the user, which are not its answer. */
  #takeMessage({ role, parts }: Record<string, unknown>): void {
    if (role === 'user' || role === 'ROLE_USER') return;
    if (!isOfAgent(role)) this.#lose(`a message of the unknown role ${String(role)}`, 'message.role');
    this.#message = (this.#message ?? '') + this.#partsText(parts, 'message.parts');
  }

  #lose(reason: string, place: string): void {
    this.gaps.push({ channels: ['answers'], reason, place });
  }

  #note(kind: string, value: Record<string, unknown>): void {
    const { contextId, taskId, metadata } = value;
    const id = kind === 'task' ? value.id : taskId;
    if (typeof contextId === 'string' && contextId !== '') this.contextId = contextId;
    if (typeof id === 'string' && id !== '') this.taskId = id;
    if (isRecord(metadata)) this.metadata = { ...this.metadata, ...metadata };
  }

  /** A task comes whole, so it replaces the artifacts that were known. */
  #takeTask({ status, artifacts, history }: Record<string, unknown>): void {
    this.#takeStatus(status);
    const made: readonly unknown[] = Array.isArray(artifacts) ? artifacts : [];
    if (made.length > 0) this.#artifacts.clear();
    for (const artifact of made) this.#takeArtifact(artifact, false);
    const messages = Array.isArray(history) ? history.filter(isRecord) : [];
    const last = messages.findLast(({ role }) => isOfAgent(role));
    this.#historyText = last ? this.#partsText(last.parts, 'history') : this.#historyText;
  }

  #takeStatus(status: unknown): void {
    if (!isRecord(status)) return;
    const { state, message } = status;
    if (typeof state === 'string') this.#stateName = stateName(state);
    this.#statusText = isRecord(message) ? this.#partsText(message.parts, 'status.message.parts') : '';
  }

  /** A piece continues an artifact; a whole one that comes again holds at least the words that it had. */
  #takeArtifact(artifact: unknown, append: unknown): void {
    if (!isRecord(artifact)) {
      this.#lose('an artifact is not an object', 'artifact');
      return;
    }
    const id = String(artifact.artifactId);
    const before = this.#artifacts.get(id)?.text;
    const text = this.#partsText(artifact.parts, 'artifact.parts');
    const isPiece = append === true;
    const isContinued = isPiece ? before !== undefined : text.startsWith(before ?? '');
    const isOdd = append !== undefined && append !== null && typeof append !== 'boolean';
    if (!isContinued || isOdd) this.#lose(`a piece of the artifact ${id} is missing`, 'artifact');
    this.#artifacts.set(id, { text: isPiece ? (before ?? '') + text : text });
  }

  #partsText(parts: unknown, place: string): string {
    if (!Array.isArray(parts) || parts.length === 0) {
      this.#lose('a message or an artifact has no parts', place);
      return '';
    }
    return parts
      .map((part, index) => {
        const text = isRecord(part) ? partText(part) : undefined;
        if (text === undefined) this.#lose('a part of an unknown kind', `${place}[${index}]`);
        return text ?? '';
      })
      .join('');
  }
}

/** 1.0 names the kind of a result by the key around it, 0.3 by a field in it. */
function unwrapped(
  result: Record<string, unknown>,
): ['message' | 'task' | 'status' | 'artifact' | 'unknown', Record<string, unknown>] {
  const { task, message, statusUpdate, artifactUpdate, kind } = result;
  if (isRecord(task)) return ['task', task];
  if (isRecord(message)) return ['message', message];
  if (isRecord(statusUpdate)) return ['status', statusUpdate];
  if (isRecord(artifactUpdate)) return ['artifact', artifactUpdate];
  if (kind === 'status-update') return ['status', result];
  if (kind === 'artifact-update') return ['artifact', result];
  if (kind === 'message' || Array.isArray(result.parts)) return ['message', result];
  return [kind === 'task' || isRecord(result.status) ? 'task' : 'unknown', result];
}

function stateName(state: string): string {
  return state
    .replace(/^TASK_STATE_/, '')
    .toLowerCase()
    .replaceAll('_', '-');
}

function isOfAgent(role: unknown): boolean {
  return role === 'agent' || role === 'ROLE_AGENT';
}

/** Data is given as JSON; files are named, because their content is not text. Undefined for a part of an unknown kind. */
function partText({ text, data, file, raw, filename, url }: Record<string, unknown>): string | undefined {
  if (typeof text === 'string') return text;
  if (data !== undefined) return JSON.stringify(data);
  const { name, uri, bytes } = isRecord(file) ? file : {};
  const label = [filename, name, url, uri].find((each) => typeof each === 'string' && each !== '');
  if (label !== undefined) return `[file ${label}]`;
  return raw !== undefined || bytes !== undefined ? '[file]' : undefined;
}
