import { AssayError } from '../../../domain/errors.ts';
import { counted } from '../../../shared/format.ts';
import { jsonOrText } from '../../../shared/json.ts';
import type { Redact } from '../../../shared/redaction/redaction.ts';
import type { ReplayMode } from '../../models/replay.ts';
import { comparedCall } from '../../tape/missed-call.ts';
import { type ComparedRequest, nearestCall } from '../../tape/nearest.ts';
import { type ComparedCall, Player } from '../../tape/player.ts';
import { type TrialFolders, TrialPaths } from '../../tape/trial-paths.ts';
import type { UpstreamReply } from '../upstream.ts';
import { type AgentRequest, type CallRequest, comparedRequest, isCall } from './agent-request.ts';
import { digested } from './digests.ts';
import { requestNormaliser } from './normalise-request.ts';
import { offeredTools, type ToolDifference } from './offered-tools.ts';
import { RecordedCalls } from './recorded-calls.ts';
import {
  packCalls,
  type TapedCall,
  type TapedExchange,
  type TapedReply,
  type TapedTrial,
  type TapeFile,
  unpackCalls,
} from './tape.ts';
import { noTape, readSessionTape, tapeName, writeSessionTape } from './tape-folder.ts';
import { type PassedReply, replayedReply, tapedReplyOf } from './taped-reply.ts';

/** Where the calls of agents are recorded and replayed from. */
export interface TapeOptions {
  readonly mode: Exclude<ReplayMode, 'off'>;
  /** Absolute: the folder of the recordings. */
  readonly directory: string;
  /** Whether prompts and definitions of tools are recorded as digests. */
  readonly digests?: boolean | undefined;
}

interface SessionTapeOptions extends TapeOptions {
  readonly trial: TapedTrial;
  readonly agentVersion: string | null;
  readonly folders: TrialFolders;
  readonly redact: Redact;
  readonly notice: (message: string) => void;
  /** Whether the user has interrupted the trial. */
  readonly isInterrupted: () => boolean;
}

/** Opens the recording of a trial; throws where it is needed and missing, or cannot be read. */
export async function openSessionTape(options: SessionTapeOptions): Promise<SessionTape> {
  const { mode, directory, trial } = options;
  const file = mode === 'record' ? undefined : readSessionTape(directory, trial);
  if (mode === 'strict' && !file) throw await noTape(directory, trial);
  return new SessionTape(options, file);
}

/** Answers the requests of one trial from its recording where the mode allows it, and records the others. */
export class SessionTape {
  readonly #paths: TrialPaths;
  readonly #options: SessionTapeOptions;
  readonly #normalise: (value: unknown) => unknown;
  /** With the texts of the requests, for messages. */
  readonly #recorded: readonly TapedCall[];
  readonly #recordedCalls: RecordedCalls;
  /** Whether the recording has digests of texts. */
  readonly #hasDigests: boolean;
  /** Names of recorded tools that this trial has not offered yet, by their definitions. */
  readonly #awaited = new Map<string, string>();
  readonly #recordedExchanges: Player<TapedExchange>;
  readonly #calls: TapedCall[] = [];
  readonly #exchanges: TapedExchange[] = [];
  #hasNew = false;
  #problem: AssayError | undefined;

  constructor(options: SessionTapeOptions, file: TapeFile | undefined) {
    const { folders, redact, agentVersion } = options;
    this.#options = options;
    this.#paths = new TrialPaths(folders);
    this.#normalise = requestNormaliser({ paths: this.#paths, redact, agentVersion });
    this.#hasDigests = file?.hasDigests ?? false;
    // Normalised again, because rules may have been added since it was recorded; a digest cannot be.
    this.#recorded = unpackCalls(file?.calls ?? []).map((call) => ({
      ...call,
      request: this.#hasDigests ? call.request : this.#normalisedAgain(call.request),
    }));
    this.#recordedCalls = new RecordedCalls(this.#recorded);
    const exchanges = (file?.exchanges ?? []).map((entry) => ({
      ...comparedExchange(entry.request),
      entry,
      isReading: true,
    }));
    this.#recordedExchanges = new Player(exchanges, 'request');
  }

  /** Sends the recorded reply; undefined where the request goes to the provider. Throws where that is not allowed. */
  find(request: AgentRequest): ((signal: AbortSignal) => Promise<UpstreamReply>) | undefined {
    const reply = this.#find(request);
    return reply && ((signal) => replayedReply(reply, this.#paths, signal));
  }

  #find(request: AgentRequest): TapedReply | undefined {
    const { mode } = this.#options;
    if (mode === 'record') return undefined;
    if (!isCall(request)) return this.#findExchange(request);
    const compared = comparedRequest(request, this.#normalise);
    const found = this.#findCall(request.call, digested(compared));
    if (found) return found;
    const miss = this.#missOf(request.call, compared);
    if (mode === 'strict') throw miss;
    if (!this.#hasNew && this.#recorded.length > 0) this.#options.notice(`Not from the recording: ${miss.message}`);
    this.#hasNew = true;
    return undefined;
  }

  #findCall({ number, api }: CallRequest['call'], request: ComparedRequest): TapedReply | undefined {
    for (const { text } of offeredTools(request)) this.#awaited.delete(text);
    const found = this.#recordedCalls.find(api.name, request);
    if (found) return found;
    const near = this.#recordedCalls.findWithOtherTools(api.name, request);
    if (!near) return undefined;
    for (const { text, name } of near.difference.missing) this.#awaited.set(text, name);
    const changes = changedTools(near.difference);
    this.#options.notice(
      `Call ${number} offers other tools than the recorded call ${near.call.number} (${changes}); its reply calls none of them.`,
    );
    return near.reply;
  }

  /** To be called for every request that was answered, or not, from the recording or by the provider. */
  note(request: AgentRequest, reply: PassedReply | 'too large'): void {
    const { mode, redact } = this.#options;
    if (mode === 'strict') return;
    if (reply === 'too large') {
      const message = `The reply to call ${request.call?.number ?? request.path} is too large to be recorded.`;
      this.#problem ??= new AssayError('REPLAY_UNWRITABLE', message);
      return;
    }
    const taped = tapedReplyOf(reply, this.#paths, redact);
    if (isCall(request)) {
      this.#calls.push({
        number: request.call.number,
        api: request.call.api.name,
        request: this.#toKeep(comparedRequest(request, this.#normalise)),
        reply: taped,
      });
    } else this.#exchanges.push({ request: this.#exchangeOf(request), reply: taped });
  }

  /** Writes what is new; throws where that fails. An interrupted trial is not worth a recording. */
  async finish(): Promise<void> {
    const { mode, directory, trial, agentVersion, notice, isInterrupted } = this.#options;
    const { left } = this.#recordedCalls;
    if (mode === 'strict' && left > 0) {
      const unused = `${counted(left, 'recorded model call')} of ${this.#recorded.length}`;
      notice(`The agent ended without requesting ${unused}.`);
    }
    if (mode === 'strict' && this.#awaited.size > 0) throw this.#toolsMissing();
    if (mode === 'strict' || isInterrupted() || (mode === 'auto' && this.#recorded.length > 0 && !this.#hasNew)) return;
    if (this.#problem) throw this.#problem;
    const inOrder = this.#calls
      .sort((a, b) => a.number - b.number)
      .map((call, index) => ({ ...call, number: index + 1 }));
    const tape = {
      version: 1 as const,
      trial,
      agentVersion,
      recordedAt: new Date().toISOString(),
      ...(this.#options.digests ? { hasDigests: true } : {}),
      callCount: inOrder.length,
      calls: packCalls(inOrder),
      exchanges: this.#exchanges,
    };
    await writeSessionTape(directory, tape, this.#options.redact);
  }

  #toKeep(request: ComparedRequest): ComparedRequest {
    return this.#options.digests ? digested(request) : request;
  }

  /** Tools that came late are one thing; the model might have worked differently without them. */
  #toolsMissing(): AssayError {
    const names = [...this.#awaited.values()].join(', ');
    const message = `Tools of the recording ${tapeName(this.#options.trial)} were never offered in this trial: ${names}.`;
    return new AssayError('REPLAY_MISS', message);
  }

  #normalisedAgain({ fields, messages }: ComparedRequest): ComparedRequest {
    const normalised = this.#normalise(fields) as ComparedRequest['fields'];
    return { fields: normalised, messages: this.#normalise(messages) as ComparedRequest['messages'] };
  }

  #findExchange(request: AgentRequest): TapedReply | undefined {
    const found = this.#recordedExchanges.find(comparedExchange(this.#exchangeOf(request)));
    if (found.kind === 'found') return found.entry.reply;
    if (this.#options.mode !== 'strict') return undefined;
    // It is not a part of the conversation, so it does not decide anything.
    this.#options.notice(`The recording has no reply to ${request.method} ${request.path}: it was answered with 404.`);
    const body = { type: 'error', error: { type: 'not_found_error', message: 'Assay: this was not recorded.' } };
    return { status: 404, headers: { 'content-type': 'application/json' }, ending: 'whole', body };
  }

  #missOf(call: CallRequest['call'], request: ComparedRequest): AssayError {
    const { trial, redact } = this.#options;
    const nearest = nearestCall(
      this.#recorded.filter(({ api }) => api === call.api.name),
      this.#hasDigests ? digested(request) : request,
    );
    const begin = `Call ${call.number} of ${trial.agent} is not in the recording ${tapeName(trial)}.`;
    const end = nearest
      ? `The nearest recorded one, call ${nearest.call.number}, differs in ${nearest.changes.join(', ') || 'nothing but how often it was sent'}.`
      : `It has no call of the API ${call.api.name}.`;
    return new AssayError('REPLAY_MISS', redact(`${begin} ${end}`));
  }

  #exchangeOf({ method, path, body }: AgentRequest): TapedExchange['request'] {
    return { method, path: String(this.#normalise(path)), body: this.#normalise(jsonOrText(body)) };
  }
}

function comparedExchange(request: TapedExchange['request']): ComparedCall {
  return comparedCall(`${request.method} ${request.path}`, request);
}

function changedTools({ missing, added }: ToolDifference): string {
  const listed = (tools: ToolDifference['missing'], what: string): string[] =>
    tools.length === 0 ? [] : [`${tools.map(({ name }) => name).join(', ')} ${what}`];
  return [...listed(missing, 'not offered'), ...listed(added, 'offered in addition')].join('; ');
}
