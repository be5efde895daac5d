import { AssayError } from '../../../domain/errors.ts';
import type { Trial } from '../../../domain/trial.ts';
import { untilAborted } from '../../../shared/async.ts';
import type { ConnectorKind } from '../../connectors/connector.ts';
import { expandSettings } from '../call/expand-settings.ts';
import type { StampedTrace } from '../stamped-trace.ts';
import type { StopRequest, Target, TargetContext, TurnControl } from '../target.ts';
import { caseFiller } from './case-filler.ts';
import type { ConversationConfig, Persona } from './conversation-config.ts';
import { holdConversation } from './hold-conversation.ts';
import { OpenConnectors } from './open-connectors.ts';
import { speakerOf } from './speaker.ts';

/** The agent of a scenario, ready for any number of conversations that know nothing of each other. */
export class ConversationTarget implements Target {
  readonly #context: TargetContext;
  readonly #configFor: (input: unknown) => ConversationConfig;
  readonly #connectors: OpenConnectors;

  constructor(config: ConversationConfig, kinds: readonly ConnectorKind[], context: TargetContext) {
    this.#context = context;
    this.#configFor = caseFiller(config);
    this.#connectors = new OpenConnectors(config.connectors, kinds, context);
  }

  async attempt(trial: Trial, trace: StampedTrace, stop: StopRequest, turns: TurnControl): Promise<undefined> {
    const { emit } = trace;
    const config = this.#configFor(trial.case.input);
    const persona = personaOf(trial, config);
    const headers = persona ? expandSettings('header', persona.headers, this.#context.env) : {};
    const { signal } = stop;
    const connector = await untilAborted(this.#connectors.get(trial.variant.connector), signal);
    const speaker = speakerOf({ config, persona, repeat: trial.repeat, signal, clock: trace, context: this.#context });
    const { trialId: conversationId, variant } = trial;
    const accounts = this.#context.account;
    const account = accounts?.isLimited ? await accounts.open() : undefined;
    const agent = { connector, account, conversationId, headers, model: variant.model, signal, clock: trace };
    try {
      await holdConversation({ config, speaker, agent, emit, turns });
    } finally {
      connector.endConversation?.(conversationId);
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#connectors[Symbol.asyncDispose]();
  }
}

function personaOf({ variant }: Trial, { personas }: ConversationConfig): Persona | undefined {
  if (variant.persona === undefined) return undefined;
  const persona = Object.hasOwn(personas, variant.persona) ? personas[variant.persona] : undefined;
  if (persona) return persona;
  throw new AssayError('TARGET_NOT_LOADED', `There is no persona "${variant.persona}".`, {
    hint: `Name one of the personas of this scenario: ${Object.keys(personas).join(', ') || 'none'}.`,
  });
}
