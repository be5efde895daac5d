import { unansweredEvents } from '../../domain/costs.ts';
import { AssayError } from '../../domain/errors.ts';
import type { ConversationEnd } from '../../domain/simulated-user.ts';
import type { EmitTrace } from '../../domain/trace.ts';
import type { Connector, ConnectorRequest, ConnectorResponse } from '../connectors/connector.ts';
import { mayHaveCost } from '../connectors/wire/endpoint-errors.ts';
import type { Account } from '../models/account.ts';
import type { TurnControl } from '../targets/target.ts';
import type { ConversationConfig } from './conversation-config.ts';
import { ConversationLog } from './conversation-log.ts';
import type { NextWords, Speaker } from './speaker.ts';

/** The agent under test, as one conversation reaches it. */
interface Agent {
  readonly connector: Connector;
  /** Under a limit, what the agent reports to have cost counts; undefined where there is no limit. */
  readonly account: Pick<Account, 'assertLeft' | 'add'> | undefined;
  /** The part that is the same in every turn. */
  readonly request: Omit<ConnectorRequest, 'messages' | 'seenCount' | 'turn'>;
}

interface Conversation {
  readonly config: ConversationConfig;
  readonly speaker: Speaker;
  readonly agent: Agent;
  readonly emit: EmitTrace;
  readonly turns: TurnControl;
  /** Whether the artifacts hold the attachments. */
  readonly keepsFiles?: boolean | undefined;
}

const usualMaxMessages = 10;

/**
 * Talks to the agent until the trial is decided, until neither side has more to say, or until there are as many messages as
 * there may be. The agent gets at least one turn, however many messages the conversation began with, and fixed messages of
 * the user are sent to the last, unless a limit is written: a test of some of them is not the planned one.
 */
export async function holdConversation({
  config,
  speaker,
  agent,
  emit,
  turns,
  keepsFiles,
}: Conversation): Promise<void> {
  const log = new ConversationLog(emit, keepsFiles);
  for (const message of config.messages) log.begin(message, config.prompts !== undefined);
  const { maxMessages = usualMaxMessages } = config;
  const isLimited = config.maxMessages !== undefined;
  if (log.spokenCount >= maxMessages) {
    emit({ type: 'notice', message: `The first ${log.spokenCount} messages leave room for only one answer` });
  }
  if (!log.isAgentsTurn) say(await speaker.next(log), log, emit);
  for (let turn = 1; ; turn++) {
    log.hear(await ask(agent, log, turn), turn);
    // A message needs room for its answer too.
    const hasRoom = log.spokenCount + 1 < maxMessages || (!isLimited && speaker.hasScript());
    let next: NextWords | undefined;
    const isLast = async (): Promise<boolean> => {
      next = hasRoom ? await speaker.next(log) : full(maxMessages, speaker.hasScript());
      if (next.kind === 'failure' && agent.request.signal.aborted) say(next, log, emit);
      return next.kind === 'silence';
    };
    // A model is prompted for the next message only when the answer has not decided the trial.
    const decision = await turns.afterTurn(hasRoom && speaker.needsModel() ? isLast : await isLast());
    if (decision === 'stop' || !next || next.kind === 'silence') return end(next, emit);
    say(next, log, emit);
  }
}

async function ask(
  { connector, account, request }: Agent,
  log: ConversationLog,
  turn: number,
): Promise<ConnectorResponse> {
  try {
    if (!connector.isPaidThroughAccount) account?.assertLeft();
    const response = await connector.invoke({
      ...request,
      messages: [...log.messages],
      seenCount: log.seenCount,
      turn,
    });
    if (!connector.isPaidThroughAccount) account?.add(response.costUsd ?? 0);
    return response;
  } catch (error) {
    if (mayHaveCost(error)) {
      for (const event of unansweredEvents(request.model ?? 'the agent', 1, 'target')) request.emit?.(event);
    }
    if (error instanceof AssayError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new AssayError('TARGET_CRASHED', `The connector failed: ${reason}`, {
      hint: 'Fix the connector; the message says where it failed.',
      cause: error,
    });
  }
}

function say(next: NextWords, log: ConversationLog, emit: EmitTrace): void {
  // Also what came of nothing was paid for.
  for (const event of next.events) emit(event);
  if (next.kind === 'failure') throw next.error;
  if (next.kind === 'words') log.say(next.text, next.attachments);
}

/** An unused message is kept too: it was paid for, and it shows why the conversation ended. */
function end(next: NextWords | undefined, emit: EmitTrace): void {
  for (const event of next?.events ?? []) emit(event);
  if (next?.kind === 'failure') {
    emit({
      type: 'notice',
      message: `The user's next message was not needed and could not be generated: ${next.error.message}`,
    });
  }
  const decided: ConversationEnd = { why: 'decided', reason: 'The last answer decided the trial' };
  emit({ type: 'conversation-ended', ...(next?.kind === 'silence' ? next.end : decided) });
}

function full(maxMessages: number, hasScript: boolean): NextWords {
  const reason = `The conversation reached its limit of ${maxMessages} messages`;
  if (hasScript) {
    const error = new AssayError('TURN_MISSING', `${reason} before all messages of the user were sent.`);
    return { kind: 'failure', error, events: [] };
  }
  return { kind: 'silence', end: { why: 'message-limit', reason }, events: [] };
}
