import { join, relative, resolve } from 'node:path';
import { AssayError } from '../../../domain/errors.ts';
import type { Project } from '../../config/project.ts';
import { SecretPlaceholders } from '../../starters/secret-placeholders.ts';
import { scenarioText } from '../scenario-text.ts';
import { DraftFolder, isScenario } from './draft-folder.ts';
import { callKey, existingKeys, promptKey } from './existing-cases.ts';
import { findKind, type SourceKind, type SourceRequest } from './find-source.ts';
import {
  type CaseSource,
  coverageOf,
  type GeneratedCall,
  type GeneratedFile,
  type GeneratedPrompt,
  type ToolCoverage,
  usableTools,
} from './generated-case.ts';
import { provenCalls } from './proven-calls.ts';

export interface GenerateOptions extends Omit<SourceRequest, 'folder'> {
  readonly project: Project;
  /** Undefined: as the source shows. */
  readonly kind: SourceKind | undefined;
  /** Folder of the generated files, relative to the folder of the project. */
  readonly output: string;
  /** Words requests in addition. */
  readonly model: string | undefined;
  readonly maxUsd: number | undefined;
  /** Most direct calls of one tool. */
  readonly callsPerTool: number;
  /** Replaces files that were generated before. */
  readonly force: boolean;
  /** For traces: the connector of a conversation, or the program under test. */
  readonly connector: string | undefined;
  readonly binary: string | undefined;
}

/** The outcome of a generation. */
export interface Generated {
  readonly kind: SourceKind;
  /** Relative to the folder of the project, with slashes. */
  readonly files: readonly string[];
  /** Cases by label. */
  readonly cases: Readonly<Record<string, number>>;
  /** Cases that the project has already, or that were the same twice. */
  readonly duplicates: number;
  /** Replies of the model that did not fit the tools. */
  readonly rejected: number;
  readonly costUsd: number | null;
  readonly coverage: readonly ToolCoverage[];
  /** Variables that stand for secrets of the server in the files. */
  readonly variables: SecretPlaceholders['variables'];
}

/** Writes scenarios from a tool or from traces: labelled, checked, and none of them twice. */
export async function generateCases(options: GenerateOptions): Promise<Generated> {
  const kind = options.kind ?? (await findKind(options));
  if (kind === 'traces') return (await import('./trace-source.ts')).casesOfTraces(options);
  if (kind === 'skill') return (await import('./skill-source.ts')).casesOfSkill(options);
  const { project } = options;
  const folder = outputFolder(options);
  const source = await openSource(kind, { ...options, folder });
  const worded = options.model === undefined ? nothingWorded : await wordedByModel(source, options, options.model);
  const existing = await existingKeys(project, options.env, options.output);
  await using draft = new DraftFolder(folder, options);
  const filesOf = (calls: readonly GeneratedCall[], prompts: readonly GeneratedPrompt[]) =>
    source.files(calls, prompts).map((file) => withLabels(file, options));
  await draft.placeModules(filesOf(source.calls, []));
  const text = (call: GeneratedCall) => filesOf([call], []).find(({ name }) => isScenario(name))?.text ?? '';
  const proven = await provenCalls(source, { ...options, text });
  const calls = limited(proven.calls, options.callsPerTool);
  const keptCalls = firstOfEach(calls, (call) => callKey(call.tool, call.argv ?? call.args), existing);
  const { provable = (prompt) => prompt } = source;
  const allPrompts = [...source.prompts, ...worded.prompts].flatMap((prompt) => provable(prompt) ?? []);
  const keptPrompts = firstOfEach(allPrompts, ({ text: words }) => promptKey(words), existing);
  const isAllLeftOut = keptCalls.length === 0 && usableTools(source.surface).length === 0;
  if (isAllLeftOut || keptCalls.length + keptPrompts.length === 0) throw nothingNew(source, proven.notes);
  const files = filesOf(keptCalls, keptPrompts);
  await draft.write(files);
  const notes = new Map([...proven.notes, ...source.notes]);
  return {
    kind,
    files: files.map(({ name }) => join(options.output, name).replaceAll('\\', '/')),
    cases: countsOf([...keptCalls, ...keptPrompts]),
    duplicates: calls.length - keptCalls.length + allPrompts.length - keptPrompts.length,
    rejected: worded.rejected,
    costUsd: worded.costUsd,
    coverage: coverageOf(source.surface, keptCalls, keptPrompts, notes),
    variables: source.variables ?? [],
  };
}

/** The folder of the generated files, which is in the project. */
export function outputFolder({ project, output }: Pick<GenerateOptions, 'project' | 'output'>): string {
  const folder = resolve(project.folder, output);
  if (relative(project.folder, folder).startsWith('..'))
    throw new AssayError('USAGE', `"${output}" is outside the project.`);
  return folder;
}

async function openSource(kind: Exclude<SourceKind, 'traces' | 'skill'>, request: SourceRequest): Promise<CaseSource> {
  if (kind === 'mcp') return (await import('./mcp-source.ts')).mcpSource(request);
  if (kind === 'cli') return (await import('./cli-source.ts')).cliSource(request);
  return (await import('./openapi-source.ts')).openApiSource(request);
}

const nothingWorded = { prompts: [] as readonly GeneratedPrompt[], rejected: 0, costUsd: 0 as number | null };

/** Direct requests to an API have no place for the words of a user. */
async function wordedByModel(
  source: CaseSource,
  options: GenerateOptions,
  model: string,
): Promise<typeof nothingWorded> {
  if (source.prompts.length === 0)
    throw new AssayError('USAGE', 'A model words requests of users, which these scenarios do not have.', {
      hint: 'Leave --model out.',
    });
  const { modelPrompts } = await import('./model-prompts.ts');
  return modelPrompts(source.surface, { ...options, model });
}

/** The first calls of each tool, of each label in turn, so a limit does not leave out all error paths. */
function limited(calls: readonly GeneratedCall[], most: number): GeneratedCall[] {
  const places = new Map<string, number>();
  const ranked = calls.map((call, index) => {
    const key = JSON.stringify([call.tool, call.label]);
    const place = places.get(key) ?? 0;
    places.set(key, place + 1);
    return { call, place, index };
  });
  const counts = new Map<string, number>();
  const kept = ranked
    .toSorted((a, b) => a.place - b.place || a.index - b.index)
    .filter(({ call: { tool } }) => {
      const count = counts.get(tool) ?? 0;
      counts.set(tool, count + 1);
      return count < most;
    });
  return kept.toSorted((a, b) => a.index - b.index).map(({ call }) => call);
}

export function firstOfEach<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  existing: ReadonlySet<string>,
): Item[] {
  const visited = new Set(existing);
  return items.filter((item) => {
    const key = keyOf(item);
    if (visited.has(key)) return false;
    visited.add(key);
    return true;
  });
}

function nothingNew({ surface }: CaseSource, notes: ReadonlyMap<string, string>): AssayError {
  if (surface.leftOut.size === surface.tools.length) {
    return new AssayError('NOTHING_TO_RUN', 'All tools may change something, so no case was generated.', {
      hint: 'Name tools that may be used with --call, or use --call-all.',
    });
  }
  const [first] = notes;
  if (first === undefined) return new AssayError('NOTHING_TO_RUN', 'The project has all cases already.');
  return new AssayError('NOTHING_TO_RUN', `No case would say anything about the tool; ${first[0]}: ${first[1]}.`, {
    hint: 'Document what the tool returns, such as by a schema, or write a case by hand.',
  });
}

export function countsOf(cases: readonly { readonly label: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { label } of cases) counts[label] = (counts[label] ?? 0) + 1;
  return counts;
}

export function withLabels(
  { name, content }: GeneratedFile,
  { from, env }: GenerateOptions,
): { name: string; text: string } {
  if (typeof content === 'string') return { name, text: content };
  const { name: title, tags, ...rest } = content;
  const data = {
    ...(title !== undefined && { name: title }),
    tags: ['generated', ...(Array.isArray(tags) ? tags : [])],
    source: { tool: new SecretPlaceholders(env).text(from) },
    ...rest,
  };
  return {
    name,
    text: scenarioText(['Generated by `assay cases generate`. Check what it expects before you rely on it.'], data),
  };
}
