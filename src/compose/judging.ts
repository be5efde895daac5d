import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { AssayError, asAssayError } from '../domain/errors.ts';
import type { JudgeResult } from '../domain/judge-result.ts';
import { faultOf } from '../domain/outcome.ts';
import { contentNonce } from '../judge/fence.ts';
import type { Judge, JudgeContext, JudgeSubject } from '../judge/judge.ts';
import type { JudgeChoice, JudgeErrors, Judging } from '../judge/judging.ts';
import type { Model, Models } from '../models/model.ts';
import type { Spending } from '../models/spending.ts';
import type { Project } from './config.ts';
import { judgeCacheIn } from './judge-cache.ts';
import type { JudgeFlags } from './judge-settings.ts';
import { secretRedaction } from './secrets.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The judge of one run; models are loaded when the first trial asks for one. */
export class ProjectJudging implements Judging, AsyncDisposable {
  readonly #project: Project;
  readonly #flags: JudgeFlags;
  readonly #env: Env;
  readonly #spending: Spending | undefined;
  readonly #settings: Pick<JudgeContext, 'nonce' | 'redact' | 'tokenBudget' | 'cache' | 'asksDespiteFailedGates'>;
  readonly #probed = new WeakMap<Judge, Promise<string | undefined>>();
  #models: Promise<Models> | undefined;

  constructor(project: Project, flags: JudgeFlags, env: Env, spending?: Spending) {
    const { config, folder } = project;
    this.#project = project;
    this.#flags = flags;
    this.#env = env;
    this.#spending = spending;
    const isRecorded = flags.record !== undefined || flags.replay !== undefined;
    const isCached = (flags.cache ?? config.judge.cache) && !isRecorded;
    this.#settings = {
      // A recording is found by the prompt, so the prompt must be the same each time.
      nonce: isRecorded ? contentNonce : () => randomUUID().replaceAll('-', ''),
      redact: secretRedaction(env),
      tokenBudget: config.judge.tokenBudget,
      asksDespiteFailedGates: flags.always ?? config.judge.always,
      cache: isCached ? judgeCacheIn(join(folder, '.assay', 'judge-cache')) : undefined,
    };
  }

  async ask(judge: Judge, subject: JudgeSubject, choice: JudgeChoice, signal: AbortSignal): Promise<JudgeResult> {
    // Loaded here: most runs ask no judge.
    const { skippedAnswer } = await import('../judge/prepare-judge.ts');
    const { askPanel } = await import('../judge/panel.ts');
    if (this.#flags.isWanted === false) return skippedAnswer(judge, 'The judge was switched off.');
    const [failure] = subject.failedGates;
    if (failure !== undefined && !this.#settings.asksDespiteFailedGates) {
      return skippedAnswer(judge, `Not asked, because the trial has failed already: ${failure}`);
    }
    const names = this.modelNames(choice);
    if (names.length === 0) {
      return skippedAnswer(
        judge,
        'No model is named for the judge: use --judge-model, `judge.model` in the scenario or the config, or LLM_TOOL_TEST_JUDGE.',
      );
    }
    const members = await this.#members(names, choice, signal);
    const distrust = this.#flags.probes && members[0] ? await this.#probe(judge, subject, members[0]) : undefined;
    const result = await askPanel(judge, subject, members);
    return distrust === undefined ? result : distrusted(result, distrust);
  }

  errorsIn(choice: JudgeChoice): JudgeErrors {
    return choice.errors ?? this.#project.config.judge.errors;
  }

  /** Who is asked: as the command line says, else the file, else the environment, else the config; nobody when switched off. */
  modelNames(choice: JudgeChoice): readonly string[] {
    if (this.#flags.isWanted === false) return [];
    if (this.#flags.models?.length) return this.#flags.models;
    if (choice.models.length > 0) return choice.models;
    const fromEnv = this.#env.LLM_TOOL_TEST_JUDGE;
    return fromEnv ? [fromEnv] : [this.#project.config.judge.model ?? []].flat();
  }

  async #members(names: readonly string[], choice: JudgeChoice, signal: AbortSignal): Promise<JudgeContext[]> {
    const samples = choice.samples ?? this.#project.config.judge.samples;
    const models = await Promise.all(names.map((name) => this.#find(name)));
    return models.flatMap((model) =>
      Array.from({ length: samples }, (_, sample) => ({
        ...this.#settings,
        model,
        signal,
        seed: samples > 1 ? sample + 1 : undefined,
        temperature: samples > 1 ? 1 : 0,
      })),
    );
  }

  /** A model that cannot be found gives its reason to whoever asks it, so that a panel goes on without it. */
  async #find(name: string): Promise<Model> {
    try {
      return await (await this.#opened()).find(name);
    } catch (error) {
      return { name, generate: () => Promise.reject(asAssayError(error)) };
    }
  }

  #opened(): Promise<Models> {
    this.#models ??= this.#open();
    return this.#models;
  }

  async #open(): Promise<Models> {
    const { openModels } = await import('../models/open-models.ts');
    const { record, replay, maxUsd } = this.#flags;
    const directory = replay ?? record;
    const mode = record === undefined ? 'strict' : replay === undefined ? 'record' : 'auto';
    return openModels({
      config: this.#project.config.models,
      env: this.#env,
      maxUsd,
      spending: this.#spending,
      replay: directory === undefined ? undefined : { mode, directory: resolve(this.#project.folder, directory) },
    });
  }

  /** Once for each judge: what it makes of attempts in which nothing was done. */
  #probe(judge: Judge, subject: JudgeSubject, context: JudgeContext): Promise<string | undefined> {
    let probing = this.#probed.get(judge);
    if (!probing) {
      probing = acceptedProbes(judge, subject, context);
      this.#probed.set(judge, probing);
    }
    return probing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#models)?.[Symbol.asyncDispose]();
  }
}

async function acceptedProbes(judge: Judge, subject: JudgeSubject, context: JudgeContext): Promise<string | undefined> {
  const { runProbes } = await import('../judge/probes.ts');
  const results = await runProbes(judge, subject, context);
  const accepted = results.filter(({ verdict }) => verdict === 'accepted').map(({ probe }) => probe);
  return accepted.length === 0 ? undefined : `The judge accepts what deserves no pass: ${accepted.join(', ')}.`;
}

/** A judge that accepts nothing-was-done cannot vouch for a pass; what it failed stays failed. */
function distrusted(result: JudgeResult, reason: string): JudgeResult {
  const warnings = [...result.warnings, reason];
  if (result.state !== 'pass') return { ...result, warnings };
  const fault = faultOf(new AssayError('JUDGE_UNDECIDED', reason));
  return { ...result, state: 'error', reason, warnings, fault };
}
