import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { AssayError, asAssayError } from '../../domain/errors.ts';
import type { JudgeResult } from '../../domain/judge-result.ts';
import type { RunOptions } from '../../domain/option-values.ts';
import type { BatchedCalls } from '../../drive/models/batch/batched-calls.ts';
import type { Model, Models } from '../../drive/models/model.ts';
import { contentNonce, secretNonce } from '../../drive/models/prompting/fence.ts';
import type { Spending } from '../../drive/models/spending.ts';
import type { Paces } from '../../drive/pacing/pace.ts';
import type { Cascade } from '../../score/judge/cascade.ts';
import type {
  EmbeddedTexts,
  Judge,
  JudgeChoice,
  JudgeContext,
  JudgeErrors,
  JudgeSubject,
  Judging,
} from '../../score/judge/judge.ts';
import { distrusted, reasonForDistrust } from '../../score/judge/probes.ts';
import { once } from '../../shared/async.ts';
import { type Redact, redactDeep } from '../../shared/redaction/redaction.ts';
import type { Project } from '../config/project.ts';
import { projectRedaction } from '../config/redaction.ts';
import { verdictsIn } from './verdict-cache.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Options about judges and other models, which override those of files. */
export interface JudgeOptions
  extends Pick<
    RunOptions,
    | 'judge'
    | 'judgeModels'
    | 'judgePrompt'
    | 'judgeAlways'
    | 'judgeProbes'
    | 'record'
    | 'recordDigests'
    | 'replay'
    | 'maxUsd'
    | 'batch'
  > {
  /** Answers per model for the same trial, whatever files say. */
  readonly samples?: number | undefined;
}

/** Where model calls are recorded and replayed from, by the flags; undefined where every call is made. */
export function recordingsOf({ record, replay, recordDigests }: JudgeOptions, projectFolder: string) {
  const directory = replay ?? record;
  if (directory === undefined) return undefined;
  const mode = record === undefined ? 'strict' : replay === undefined ? 'record' : 'auto';
  return { mode, directory: resolve(projectFolder, directory), digests: recordDigests } as const;
}

/** Parts that the judge shares with the other parts of a run. */
interface SharedByRun {
  readonly spending?: (() => Promise<Spending>) | undefined;
  readonly redact?: Redact | undefined;
  readonly paces?: (() => Promise<Paces>) | undefined;
  /** Whether verdicts of earlier runs may be reused, and those of this one are kept for later ones. */
  readonly reusesVerdicts?: boolean | undefined;
  /** Answers from batches. */
  readonly batched?: BatchedCalls | undefined;
}

/** The judge of one run; models are loaded when the first trial needs one. */
export class ProjectJudging implements Judging, AsyncDisposable {
  readonly #project: Project;
  readonly #options: JudgeOptions;
  readonly #env: Env;
  readonly #shared: SharedByRun;
  readonly #redact: Redact;
  readonly #settings: Pick<
    JudgeContext,
    'nonce' | 'prompt' | 'redact' | 'tokenBudget' | 'cache' | 'asksDespiteFailedGates'
  >;
  readonly #distrust = new WeakMap<Judge, Promise<string | undefined>>();
  readonly #chosen = new WeakMap<JudgeChoice, Promise<readonly Model[]>>();
  readonly #first = new WeakMap<JudgeChoice, Promise<Model>>();
  /** By API key: scenarios may bring their own. */
  readonly #models = new Map<string, Promise<Models>>();
  /** Loaded when needed: most runs have no judge. */
  readonly #load = once(() =>
    Promise.all([import('../../score/judge/prepare-judge.ts'), import('../../score/judge/panel.ts')]),
  );

  constructor(project: Project, options: JudgeOptions, env: Env, shared: SharedByRun = {}) {
    const { config, folder } = project;
    this.#project = project;
    this.#options = options;
    this.#env = env;
    this.#shared = shared;
    const redact = shared.redact ?? projectRedaction(project, env);
    this.#redact = redact;
    const isRecorded = options.record !== undefined || options.replay !== undefined || shared.batched !== undefined;
    this.#settings = {
      // A recording or a batched reply is found by the prompt, so the prompt must be the same each time.
      nonce: isRecorded ? contentNonce : secretNonce(randomUUID()),
      prompt: options.judgePrompt ?? config.judge.prompt,
      redact,
      tokenBudget: config.judge.tokenBudget,
      asksDespiteFailedGates: options.judgeAlways ?? config.judge.always,
      cache:
        shared.reusesVerdicts && !isRecorded ? verdictsIn(join(folder, '.assay', 'judge-cache'), redact) : undefined,
    };
  }

  async ask(judge: Judge, subject: JudgeSubject, choice: JudgeChoice, signal: AbortSignal): Promise<JudgeResult> {
    const [, { askPanel }] = await this.#load();
    const settled = await this.#withoutModel(judge, subject, choice);
    if (settled) return settled;
    const panel = this.#members(await this.#modelsOf(choice), choice, signal);
    const reason = this.#options.judgeProbes ? await this.#reasonForDistrust(judge, subject, panel) : undefined;
    const cascade = await this.#cascadeBefore(panel, choice);
    const result = cascade ? await askInTurn(judge, subject, cascade) : await askPanel(judge, subject, panel);
    return reason === undefined ? result : distrusted(result, reason);
  }

  /** Undefined where the models of the panel judge at once. */
  async #cascadeBefore(panel: readonly JudgeContext[], choice: JudgeChoice): Promise<Cascade | undefined> {
    const rules = this.#cascadeRules();
    const [member] = panel;
    if (!rules || !member) return undefined;
    const found = this.#first.get(choice) ?? this.#find(rules.model, choice);
    this.#first.set(choice, found);
    const { temperature = 0 } = this.#project.config.judge;
    return { first: { ...member, model: await found, seed: undefined, temperature }, panel, rules };
  }

  /** Models of the command line judge alone. */
  #cascadeRules(): Project['config']['judge']['cascade'] {
    return this.#options.judgeModels?.length ? undefined : this.#project.config.judge.cascade;
  }

  /** The judge of a run with --batch: whatever needs a model waits until the run is over. */
  get deferred(): Judging | undefined {
    if (!this.#options.batch) return undefined;
    return {
      ask: (judge, subject, choice) => this.#defer(judge, subject, choice),
      // Embeddings are not an answer of the judge.
      embed: (...request) => this.embed(...request),
      errorsIn: (choice) => this.errorsIn(choice),
    };
  }

  async #defer(judge: Judge, subject: JudgeSubject, choice: JudgeChoice): Promise<JudgeResult> {
    const [{ unavailableAnswer }] = await this.#load();
    const waiting = new AssayError('JUDGE_WAITING', 'The judge answers in a batch.');
    return (await this.#withoutModel(judge, subject, choice)) ?? unavailableAnswer(judge, waiting);
  }

  /** The answer that needs no model; undefined where one must be prompted. */
  async #withoutModel(judge: Judge, subject: JudgeSubject, choice: JudgeChoice): Promise<JudgeResult | undefined> {
    const [{ skippedAnswer, unavailableAnswer }] = await this.#load();
    if (this.#options.judge === false) return skippedAnswer(judge, 'The judge is switched off.');
    const [failure] = subject.failedGates;
    if (failure !== undefined && !this.#settings.asksDespiteFailedGates) {
      return skippedAnswer(judge, `Skipped, because the trial has already failed: ${failure}`);
    }
    return this.modelNames(choice).length === 0 ? unavailableAnswer(judge, noJudgeModel()) : undefined;
  }

  async embed(texts: readonly string[], model: string | undefined, signal: AbortSignal): Promise<EmbeddedTexts> {
    const name = model ?? this.#project.config.models.embedding;
    if (name === undefined) return { model: undefined, error: noEmbeddingModel(), ...nothingSpent };
    const { embedTexts } = await import('./embed-texts.ts');
    return embedTexts(texts.map(this.#settings.redact), await this.#find(name, noChoice), signal);
  }

  /** Context of the judge's first model, for questions that are not about one trial; rejects without a model. */
  async context(choice: JudgeChoice, signal: AbortSignal): Promise<JudgeContext> {
    const [first] = this.#members(await this.#modelsOf(choice), choice, signal);
    if (!first) throw noJudgeModel();
    return first;
  }

  /** Probes test the judge of one evaluator. */
  get asksAlone(): boolean {
    return this.#options.judgeProbes === true;
  }

  errorsIn(choice: JudgeChoice): JudgeErrors {
    return choice.errors ?? this.#project.config.judge.errors;
  }

  /** All models that may judge: those that decide, then the one that judges before them. None when switched off. */
  modelNames(choice: JudgeChoice): readonly string[] {
    const panel = this.#panelNames(choice);
    const first = panel.length === 0 ? undefined : this.#cascadeRules()?.model;
    return first === undefined ? panel : [...new Set([...panel, first])];
  }

  /** Of the command line, else the file, else the environment, else the config. */
  #panelNames(choice: JudgeChoice): readonly string[] {
    return this.#options.judge === false ? [] : this.#configuredModels(choice);
  }

  /** Who would answer for each judge model: a verdict of one server is not that of another. */
  async judgeServers(choice: JudgeChoice): Promise<readonly (string | undefined)[]> {
    const first = this.modelNames(choice).length > 0 ? this.#cascadeRules()?.model : undefined;
    const models = await this.#modelsOf(choice);
    return [...models, ...(first === undefined ? [] : [await this.#find(first, choice)])].map(({ server }) => server);
  }

  /** Plays personas that name no model themselves; the judge's model, even where no judge runs, if none is configured. */
  personaModel(): string | undefined {
    return this.#project.config.models.persona ?? this.#configuredModels({ models: [], samples: undefined })[0];
  }

  #configuredModels(choice: JudgeChoice): readonly string[] {
    if (this.#options.judgeModels?.length) return this.#options.judgeModels;
    if (choice.models.length > 0) return choice.models;
    const fromEnv = this.#env.LLM_TOOL_TEST_JUDGE;
    return fromEnv ? [fromEnv] : [projectJudge(this.#project.config) ?? choice.usualModel ?? []].flat();
  }

  #members(models: readonly Model[], choice: JudgeChoice, signal: AbortSignal): JudgeContext[] {
    const samples = this.#options.samples ?? choice.samples ?? this.#project.config.judge.samples;
    const { temperature = samples <= 1 ? 0 : 1, maxOutputTokens } = this.#project.config.judge;
    const member = { ...this.#settings, signal, temperature, maxOutputTokens };
    if (samples <= 1) return models.map((model) => ({ ...member, model }));
    return models.flatMap((model) =>
      Array.from({ length: samples }, (_, sample) => ({ ...member, model, seed: sample + 1 })),
    );
  }

  /** Looked up once for each choice, which is the same for all trials of a scenario. */
  #modelsOf(choice: JudgeChoice): Promise<readonly Model[]> {
    const models =
      this.#chosen.get(choice) ?? Promise.all(this.#panelNames(choice).map((name) => this.#find(name, choice)));
    this.#chosen.set(choice, models);
    return models;
  }

  /** A model that cannot be found rejects every call with the reason, so a panel goes on without it. */
  async #find(name: string, { apiKeys = {} }: JudgeChoice): Promise<Model> {
    try {
      return this.#withCleanReplies(await (await this.#openedWith(apiKeys)).find(name));
    } catch (error) {
      return { name, generate: () => Promise.reject(asAssayError(error)) };
    }
  }

  /** Whatever a judge quotes is kept, cached, compared and shown, so it is cleaned before any of that. */
  #withCleanReplies(model: Model): Model {
    const { redact } = this.#settings;
    return {
      ...model,
      async generate(...request) {
        const { text, toolCalls, ...reply } = await model.generate(...request);
        return { ...reply, ...redactDeep({ text, toolCalls }, redact) };
      },
    };
  }

  /** The models of the run, shared with personas and workflows: their costs add up. */
  models(): Promise<Models> {
    return this.#openedWith({});
  }

  #openedWith(apiKeys: Readonly<Record<string, string>>): Promise<Models> {
    const id = JSON.stringify(Object.entries(apiKeys).sort());
    const models = this.#models.get(id) ?? this.#open(apiKeys);
    this.#models.set(id, models);
    return models;
  }

  async #open(apiKeys: Readonly<Record<string, string>>): Promise<Models> {
    const { openModels } = await import('../../drive/models/open-models.ts');
    const { withApiKeys } = await import('../../drive/models/open-models.ts');
    const { maxUsd } = this.#options;
    return openModels({
      config: withApiKeys(this.#project.config.models, apiKeys, this.#env),
      env: this.#env,
      maxUsd,
      spending: await this.#shared.spending?.(),
      paces: await this.#shared.paces?.(),
      batch: this.#shared.batched,
      redact: this.#redact,
      replay: recordingsOf(this.#options, this.#project.folder),
    });
  }

  /** Found out once for each judge. */
  #reasonForDistrust(judge: Judge, subject: JudgeSubject, members: JudgeContext[]): Promise<string | undefined> {
    const finding = this.#distrust.get(judge) ?? reasonForDistrust(judge, subject, members);
    this.#distrust.set(judge, finding);
    return finding;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const models of this.#models.values()) await (await models)[Symbol.asyncDispose]();
  }
}

/** Judge models of the config. */
export function projectJudge({ judge, models }: Project['config']): string | readonly string[] | undefined {
  return judge.model ?? models.judge;
}

const noChoice: JudgeChoice = { models: [], samples: undefined };
const nothingSpent = { usage: { inputTokens: 0, outputTokens: 0 }, costUsd: 0 };

function noEmbeddingModel(): AssayError {
  return new AssayError('MODEL_NOT_NAMED', 'No model for embeddings is configured.', {
    hint: 'Set `models.embedding` in the config, or `model` in the config of the evaluator.',
  });
}

function noJudgeModel(): AssayError {
  return new AssayError('MODEL_NOT_NAMED', 'No judge model is configured.', {
    hint: 'Set --judge-model, `judge.model` in the scenario or the config, `models.judge` in the config, or LLM_TOOL_TEST_JUDGE; or use --no-judge.',
  });
}

async function askInTurn(judge: Judge, subject: JudgeSubject, cascade: Cascade): Promise<JudgeResult> {
  const { askCascade } = await import('../../score/judge/cascade.ts');
  return askCascade(judge, subject, cascade);
}
