import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { stringify } from 'yaml';
import { AssayError } from '../../domain/errors.ts';
import { inReadingOrder, type Problem, ProblemsError } from '../../domain/problem.ts';
import type { Case, PartSpec } from '../../domain/scenario.ts';
import type { ConversationConfig } from '../../drive/conversation/conversation-config.ts';
import { promptfooFormat } from '../../load/scenarios/formats/promptfoo/promptfoo-format.ts';
import { readPromptfoo } from '../../load/scenarios/formats/promptfoo/read-promptfoo.ts';
import type { ReadContext, ReadScenario } from '../../load/scenarios/scenario-format.ts';
import { readSource } from '../../load/sources/source-file.ts';
import { canonicalJson } from '../../shared/json.ts';
import { writeNew } from '../../shared/redacted-files.ts';
import { usersText } from '../../shared/redaction/redacted.ts';
import { templatesIn } from '../../shared/templates.ts';
import { conversationDefaults } from '../config/format-defaults.ts';
import type { Project } from '../config/project.ts';
import { slugOf } from './scenario-text.ts';

/** Native scenarios that were written of a config. */
export interface WrittenScenarios {
  /** Relative to the project. */
  readonly files: readonly string[];
  readonly scenarios: number;
  readonly cases: number;
  /** Tests that were left out, because a part of them has no equal. */
  readonly leftOut: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/**
 * Writes a config of promptfoo as conversations, beside it: programs and modules that it names are found from there. A
 * test with a part that has no equal is left out, because the rest of it could pass.
 */
export async function writeNativeScenarios(path: string, cwd: string, project: Project): Promise<WrittenScenarios> {
  const absolute = resolve(cwd, path);
  const source = await readSource(relative(project.folder, absolute), project.folder);
  if (!promptfooFormat.recognises(source.value)) {
    throw new AssayError('USAGE', `${path} is not a config of promptfoo.`, {
      hint: 'Name a file with `prompts`, `providers` and `tests`. Leave out --config to import results.',
    });
  }
  const context: ReadContext = {
    directory: dirname(absolute),
    folder: project.folder,
    parts: project.parts,
    defaults: {
      timeoutSecs: project.config.timeoutSecs,
      conversations: conversationDefaults(project, {}),
    },
  };
  const leftOut: Problem[] = [];
  const read = (await readPromptfoo(source, context, leftOut)).map((part) => part.read);
  const scenarios = read.filter((part): part is ReadScenario => 'cases' in part);
  const problems = read.flatMap((part) => ('cases' in part ? [] : part));
  if (problems.length > 0) throw new ProblemsError(problems);
  const made = await new NativeFiles(absolute, leftOut).make(scenarios);
  return {
    files: (await written(made, dirname(absolute))).map((file) => relative(project.folder, file)),
    scenarios: made.items.length,
    cases: made.cases,
    leftOut: inReadingOrder(leftOut),
    warnings: scenarios.flatMap(({ warnings = [] }) => warnings),
  };
}

interface MadeFiles {
  readonly name: string;
  readonly items: readonly Readonly<Record<string, unknown>>[];
  /** Datasets by their path. */
  readonly datasets: ReadonlyMap<string, string>;
  readonly cases: number;
}

/** Nothing is overwritten, and nothing is written if one of the files exists. */
async function written({ name, items, datasets }: MadeFiles, folder: string): Promise<string[]> {
  if (items.length === 0) return [];
  const text = stringify(items, { lineWidth: 110, aliasDuplicateObjects: false, blockQuote: 'literal' });
  const files = new Map([[join(folder, `${name}.yaml`), text]]);
  for (const [path, rows] of datasets) files.set(join(folder, path), rows);
  for (const file of files.keys()) {
    if (existsSync(file)) throw new AssayError('USAGE', `${file} exists already.`, { hint: 'Move it away first.' });
  }
  for (const [file, content] of files) {
    await mkdir(dirname(file), { recursive: true });
    await writeNew(file, usersText(content));
  }
  return [...files.keys()];
}

class NativeFiles {
  readonly #name: string;
  readonly #file: string;
  readonly #leftOut: Problem[];
  readonly #items: Record<string, unknown>[] = [];
  readonly #datasets = new Map<string, string>();
  #cases = 0;

  constructor(file: string, leftOut: Problem[]) {
    this.#file = file;
    this.#leftOut = leftOut;
    this.#name = `${slugOf(basename(file).replace(/\.[^.]*$/, ''))}-scenarios`;
  }

  async make(scenarios: readonly ReadScenario[]): Promise<MadeFiles> {
    for (const scenario of scenarios) await this.#add(scenario);
    return { name: this.#name, items: this.#items, datasets: this.#datasets, cases: this.#cases };
  }

  /** A conversation for each list of evaluators, and for each set of prompts that connectors share. */
  async #add(scenario: ReadScenario): Promise<void> {
    const groups = new Map<string, Case[]>();
    for await (const each of scenario.cases()) {
      if (!this.#isWritable(each, scenario)) continue;
      const key = canonicalJson(each.evaluators);
      groups.set(key, [...(groups.get(key) ?? []), each]);
    }
    for (const cases of groups.values()) {
      this.#cases += cases.length;
      const dataset = `${this.#name}/${this.#datasets.size + 1}.jsonl`;
      const rows = cases.map(({ caseId, input }) => `${JSON.stringify({ name: caseId, input })}\n`);
      this.#datasets.set(dataset, rows.join(''));
      for (const talk of talksOf(scenario)) {
        const number = this.#items.length + 1;
        const name = number === 1 ? scenario.description || scenario.name : `${scenario.description} (${number})`;
        this.#items.push(itemOf(name, scenario, talk, cases[0]?.evaluators ?? [], dataset));
      }
    }
  }

  #isWritable({ caseId, evaluators }: Case, { file }: ReadScenario): boolean {
    const isTemplated = templatesIn(evaluators, []).some(({ name }) => name !== undefined);
    if (evaluators.length > 0 && !isTemplated) return true;
    const why = isTemplated ? 'an assertion contains `{{…}}`, which would be filled in' : 'it asserts nothing';
    this.#leftOut.push({ at: { file: file || this.#file, line: 1, column: 1 }, message: `test "${caseId}": ${why}` });
    return false;
  }
}

/** Connectors that get the same prompts. */
interface Talk {
  readonly connectors: readonly string[];
  readonly prompts: readonly string[];
}

function talksOf({ variants, target }: ReadScenario): Talk[] {
  const all = Object.keys((target.config as ConversationConfig).prompts ?? {});
  const promptsOf = new Map<string, string[]>();
  for (const { connector = '', guidance } of variants) {
    const names = guidance === undefined ? all : [guidance];
    promptsOf.set(connector, [...(promptsOf.get(connector) ?? []), ...names]);
  }
  const talks = new Map<string, { connectors: string[]; prompts: readonly string[] }>();
  for (const [connector, prompts] of promptsOf) {
    const talk = talks.get(canonicalJson(prompts)) ?? { connectors: [], prompts };
    talk.connectors.push(connector);
    talks.set(canonicalJson(prompts), talk);
  }
  return [...talks.values()];
}

function itemOf(
  name: string,
  { target, judge, repeat }: ReadScenario,
  talk: Talk,
  evaluators: readonly PartSpec[],
  dataset: string,
): Record<string, unknown> {
  const { connectors, prompts = {}, maxMessages } = target.config as ConversationConfig;
  return {
    name,
    connectors: picked(connectors, talk.connectors),
    prompts: picked(prompts, talk.prompts),
    maxMessages,
    dataset,
    evaluators: evaluators.map(({ type, config, id }) => ({ type, ...(id !== undefined && { id }), config })),
    ...(judge.models.length > 0 && { judge: { model: judge.models } }),
    ...(repeat > 1 && { repeat }),
  };
}

function picked<Value>(values: Readonly<Record<string, Value>>, names: readonly string[]): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
}
