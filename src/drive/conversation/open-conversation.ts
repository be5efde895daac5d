import { AssayError } from '../../domain/errors.ts';
import type { EmitTrace } from '../../domain/trace.ts';
import type { Trial } from '../../domain/trial.ts';
import { untilAborted } from '../../shared/async.ts';
import { redactionWithPatterns } from '../../shared/redaction/redaction.ts';
import { PolicyApprover } from '../approvals/approver.ts';
import type { AttachedFile } from '../attachments/attached-file.ts';
import type { OpenAttachments } from '../attachments/open-attachments.ts';
import type { Connector, ConnectorKind } from '../connectors/connector.ts';
import type { ToolLoopConfig } from '../connectors/tool-loop/tool-loop-config.ts';
import type { Toolbox } from '../connectors/tool-loop/toolbox.ts';
import type { BreakModel } from '../models/with-faults.ts';
import { expandSettings } from '../targets/call/expand-settings.ts';
import type { StampedTrace } from '../targets/stamped-trace.ts';
import type { StopRequest, Target, TargetContext, TurnControl } from '../targets/target.ts';
import { configOfCase } from './case-filler.ts';
import type { ControlledTools } from './controlled-tools.ts';
import { attachmentsIn, type ConversationConfig, hasToolLoop, type Persona } from './conversation-config.ts';
import { holdConversation } from './hold-conversation.ts';
import { namedConnector, OpenedOnce, openConnector } from './open-connectors.ts';
import { speakerOf } from './speaker.ts';

/** The agent of a scenario, ready for any number of conversations that know nothing of each other. */
export class ConversationTarget implements Target {
  readonly #context: TargetContext;
  readonly #config: ConversationConfig;
  readonly #kinds: readonly ConnectorKind[];
  readonly #connectors = new OpenedOnce<Connector>();
  /** Tools of personas. */
  readonly #toolboxes = new OpenedOnce<Toolbox>();
  #attachments: Promise<OpenAttachments> | undefined;

  constructor(config: ConversationConfig, kinds: readonly ConnectorKind[], context: TargetContext) {
    this.#context = context;
    this.#config = config;
    this.#kinds = kinds;
    // The only one will be used in any case, and may be opened while the run gets ready; who uses it sees why it failed.
    if (Object.keys(config.connectors).length === 1) this.#connector(undefined).catch(() => undefined);
  }

  async attempt(trial: Trial, trace: StampedTrace, stop: StopRequest, turns: TurnControl): Promise<undefined> {
    const { emit } = trace;
    const keepsFiles = this.#context.artifactsFolder !== undefined;
    const config = withPrompt(configOfCase(this.#config, trial.case.input), trial.variant.guidance);
    const persona = personaOf(trial, config);
    const headers = persona ? expandSettings('header', persona.headers, this.#context.env) : {};
    const { signal } = stop;
    const connector = await trace.preparing(() => untilAborted(this.#connector(trial.variant.connector), signal));
    const accounts = this.#context.account;
    const account = accounts?.isLimited ? await trace.preparing(() => accounts.open()) : undefined;
    const attachments = attachmentsIn(config);
    const files = attachments.length > 0 ? await trace.preparing(() => this.#filesOf(attachments)) : [];
    const breakModel = trial.scenario.control ? await trace.preparing(() => breakModelOf(trial, emit)) : undefined;
    const toolbox = this.#toolboxOf(trial.variant.persona ?? '', signal);
    const { repeat } = trial;
    const approver = PolicyApprover.of(trial, { emit, signal, context: this.#context });
    await using standIn = await trace.preparing(() => standInOf(trial, emit, this.#context));
    const context = this.#context;
    const speaker = speakerOf({ config, persona, toolbox, standIn, repeat, signal, clock: trace, context });
    const { trialId: conversationId, variant } = trial;
    const { model } = variant;
    const request = {
      conversationId,
      headers,
      model,
      files,
      signal,
      clock: trace,
      breakModel,
      standIn,
      emit,
      ...(approver.hasPolicy && { approver }),
    };
    const agent = { connector, account, request };
    try {
      await turns.prepared?.();
      await holdConversation({ config, speaker, agent, emit, turns, keepsFiles });
      await standIn?.conclude();
      if (approver.fault) throw approver.fault;
    } finally {
      connector.endConversation?.(conversationId);
    }
  }

  async #connector(wanted: string | undefined): Promise<Connector> {
    const [name, spec] = namedConnector(this.#config, wanted);
    return this.#connectors.get(name, () => openConnector(name, spec, this.#kinds, this.#context));
  }

  async #filesOf(attachments: ReturnType<typeof attachmentsIn>): Promise<readonly AttachedFile[]> {
    const { directory, artifactsFolder: folder, redact = redactionWithPatterns([]) } = this.#context;
    const artifacts = folder === undefined ? undefined : { folder, redact };
    // Few conversations have attachments, and then none of this need be loaded.
    this.#attachments ??= import('../attachments/open-attachments.ts').then(
      ({ OpenAttachments }) => new OpenAttachments(directory, artifacts),
    );
    return (await this.#attachments).read(attachments.map(({ attachment }) => attachment));
  }

  /** Fields of a case do not apply to tools, which serve all cases. */
  #toolboxOf(name: string, signal: AbortSignal): (() => Promise<Toolbox>) | undefined {
    const toolLoop = Object.hasOwn(this.#config.personas, name) ? this.#config.personas[name]?.toolLoop : undefined;
    if (!toolLoop) return undefined;
    const open = () => this.#toolboxes.get(name, () => openTools(toolLoop, this.#context));
    return () => untilAborted(open(), signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#connectors, this.#toolboxes].map((opened) => opened[Symbol.asyncDispose]()));
  }
}

/** Undefined where nothing is done to the tools that Assay runs. */
async function standInOf(trial: Trial, emit: EmitTrace, context: TargetContext): Promise<ControlledTools | undefined> {
  const { control, attacks, target } = trial.scenario;
  if ((!control && !attacks && !context.toolTapes?.()) || !hasToolLoop(target.config)) return undefined;
  // Most conversations are left alone, and then none of this need be loaded.
  const { ControlledTools } = await import('./controlled-tools.ts');
  return new ControlledTools(trial, emit, context);
}

async function breakModelOf(trial: Trial, emit: EmitTrace): Promise<BreakModel | undefined> {
  // Few scenarios break their model, and then none of this need be loaded.
  const { modelFaultsOf } = await import('../models/with-faults.ts');
  return modelFaultsOf(trial, emit);
}

async function openTools(toolLoop: ToolLoopConfig, context: TargetContext): Promise<Toolbox> {
  // Few users have tools, and then none of this need be loaded.
  const { openToolbox } = await import('../connectors/tool-loop/toolbox.ts');
  return openToolbox(toolLoop, context);
}

/** The config with the prompt of the variant, or with the only one. */
function withPrompt(config: ConversationConfig, guidance: string | undefined): ConversationConfig {
  const { prompts } = config;
  if (!prompts) return config;
  const names = Object.keys(prompts);
  const messages = prompts[guidance ?? (names.length === 1 ? (names[0] ?? '') : '')];
  if (messages) return { ...config, messages };
  throw new AssayError('TARGET_NOT_LOADED', `There is no prompt "${guidance ?? ''}".`, {
    hint: `Name one of the prompts of this scenario: ${names.join(', ')}.`,
  });
}

function personaOf({ variant }: Trial, { personas }: ConversationConfig): Persona | undefined {
  if (variant.persona === undefined) return undefined;
  const persona = Object.hasOwn(personas, variant.persona) ? personas[variant.persona] : undefined;
  if (persona) return persona;
  throw new AssayError('TARGET_NOT_LOADED', `There is no persona "${variant.persona}".`, {
    hint: `Name one of the personas of this scenario: ${Object.keys(personas).join(', ') || 'none'}.`,
  });
}
