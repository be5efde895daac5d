import type { Attachment } from '../../domain/attachment.ts';
import type { AssayError } from '../../domain/errors.ts';
import type { ConversationEnd } from '../../domain/simulated-user.ts';
import type { UnstampedEvent } from '../../domain/trace.ts';
import type { ToolStandIn } from '../connectors/tool-loop/runnable-tool.ts';
import type { Toolbox } from '../connectors/tool-loop/toolbox.ts';
import type { WaitClock } from '../pacing/clock.ts';
import type { TargetContext } from '../targets/target.ts';
import type { ConversationConfig, Persona } from './conversation-config.ts';
import type { ConversationLog } from './conversation-log.ts';

/** The next step of the user, and how it was decided. */
export type NextWords = { readonly events: readonly UnstampedEvent[] } & (
  | { readonly kind: 'words'; readonly text: string; readonly attachments?: readonly Attachment[] | undefined }
  | { readonly kind: 'silence'; readonly end: ConversationEnd }
  /** Thrown only when the words are needed: the answer before may have decided the trial already. */
  | { readonly kind: 'failure'; readonly error: AssayError }
);

/** The conversation as a speaker sees it. */
export type SoFar = Pick<ConversationLog, 'messages' | 'seenCount'>;

/** Speaks for the user of one conversation. */
export interface Speaker {
  /** Whether the next words come from a model, which costs something. */
  needsModel(): boolean;
  /** Whether fixed messages are left. */
  hasScript(): boolean;
  next(soFar: SoFar): Promise<NextWords>;
}

/** The settings of a speaker. */
export interface SpeakerOptions {
  readonly config: ConversationConfig;
  /** Undefined for a conversation without a persona. */
  readonly persona: Persona | undefined;
  readonly repeat: number;
  readonly signal: AbortSignal;
  /** Stands still while the model of the user waits for a rate limit. */
  readonly clock?: WaitClock | undefined;
  /** Opens the tools of the user; undefined for a user without tools. */
  readonly toolbox?: (() => Promise<Toolbox>) | undefined;
  /** Stands in front of the tools of the user; undefined where nothing does. */
  readonly standIn?: ToolStandIn | undefined;
  readonly context: Pick<TargetContext, 'models' | 'personaModel' | 'redact'>;
}

/** Says the fixed messages, those of the scenario first, and then what a model says that plays the persona. */
export function speakerOf(options: SpeakerOptions): Speaker {
  const { config, persona } = options;
  const fixed = [...config.userMessages, ...(persona?.messages ?? [])];
  const end: ConversationEnd = { why: 'no-more-messages', reason: 'The user has no more messages' };
  let player: Promise<Pick<Speaker, 'next'>> | undefined;
  return {
    needsModel: () => fixed.length === 0 && isPlayed(options),
    hasScript: () => fixed.length > 0,
    async next(soFar) {
      const message = fixed.shift();
      if (typeof message === 'string') return { kind: 'words', text: message, events: [] };
      if (message) return { kind: 'words', text: message.content, attachments: message.attachments, events: [] };
      if (!isPlayed(options)) return { kind: 'silence', end, events: [] };
      // Fixed messages need no model, and then none of this need be loaded.
      player ??= import('./persona.ts').then(({ personaPlayer }) => personaPlayer(options));
      return (await player).next(soFar);
    },
  };
}

/**
 * A persona that is described, or that has no fixed messages, is played by a model. Without a persona a model speaks
 * only where no other message would ever be sent.
 */
export function isPlayed({ config, persona }: Pick<SpeakerOptions, 'config' | 'persona'>): boolean {
  if (persona && hasCharacter(persona)) return true;
  const hasFixed = config.userMessages.length > 0 || (persona?.messages.length ?? 0) > 0;
  if (persona) return !hasFixed;
  return !hasFixed && config.messages.findLast(({ role }) => role !== 'system')?.role !== 'user';
}

function hasCharacter({ description, systemPrompt, goal, stopWhen, facts, toolLoop, model }: Persona): boolean {
  return [description, systemPrompt, goal, stopWhen, facts, toolLoop, model].some((part) => part !== undefined);
}
