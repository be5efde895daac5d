import { dirname, extname, relative, resolve, sep } from 'node:path';
import { asAssayError, type FilePosition, formatPosition } from '../../domain/errors.ts';
import { inReadingOrder, type Problem, ProblemsError } from '../../domain/problem.ts';
import type { Scenario } from '../../domain/scenario.ts';
import type { Evaluator } from '../../score/evaluators/evaluator.ts';
import { isRecord } from '../../shared/json.ts';
import { below, type ParsedSource } from '../sources/parsed-source.ts';
import { dataExtensions, isModule, readSource } from '../sources/source-file.ts';
import { discoverFiles, type FoundFile, ownSchemaOf, peekAt } from './discover.ts';
import { checkCi } from './formats/ci-section.ts';
import { scenarioFormats } from './formats/index.ts';
import { isSettingsFile, passedOverFiles } from './passed-over.ts';
import type { ReadPart, ScenarioDefaults, ScenarioParts } from './scenario-format.ts';

/** Limits the check, because reading a long dataset again takes time. */
const checkedCases = 100;

/** Warns about cases without assertions: their trials always end as `error`. */
async function assertsNothing(
  scenario: Scenario,
  at: FilePosition,
  evaluators: readonly Evaluator[],
): Promise<Problem[]> {
  const assertions = new Set(evaluators.filter(({ kind }) => kind === 'assertion').map(({ type }) => type));
  let checked = 0;
  for await (const { caseId, evaluators: specs } of scenario.cases()) {
    if (!specs.some(({ type }) => assertions.has(type))) {
      const subject = scenario.caseCount > 1 ? `case "${caseId}"` : 'this scenario';
      const message = `${subject} asserts nothing: its trials end as \`error\` (NOTHING_ASSERTED)`;
      return [{ at, message, hint: 'Add an assertion, such as `passCriteria`, a gate or a `judge`.' }];
    }
    if (++checked === checkedCases) break;
  }
  return [];
}

interface LoadRequest {
  /** Files and folders, relative to `folder`. */
  readonly paths: readonly string[];
  /** Scenarios that are already parsed; paths in them are relative to `folder`. */
  readonly sources?: readonly ParsedSource[] | undefined;
  readonly folder: string;
  readonly parts: ScenarioParts;
  readonly defaults: ScenarioDefaults;
  /** Patterns of files and folders that are passed over, relative to `folder`. */
  readonly exclude?: readonly string[] | undefined;
  /** Absolute; it may refer to files beside the scenarios. */
  readonly configFile?: string | undefined;
  /** False where reading must have no effects: files in JavaScript and TypeScript are then problems. */
  readonly executesModules?: boolean | undefined;
}

/** Every file is in one of these lists. */
export interface LoadResult {
  readonly scenarios: readonly Scenario[];
  /** By file and line. */
  readonly problems: readonly Problem[];
  /** Problems that do not keep a scenario from running; by file and line. */
  readonly warnings: readonly Problem[];
  /** Data files in the given folders that are not scenarios. */
  readonly otherFiles: readonly string[];
}

/** Reads and checks every scenario file below the given paths, and collects the problems of all files. */
export async function loadScenarios(request: LoadRequest): Promise<LoadResult> {
  const { folder, paths, configFile } = request;
  const { files, links, problems: missing } = await discoverFiles(paths, folder, request.exclude);
  const scenarios: Scenario[] = [];
  const problems = [...missing];
  const warnings: Problem[] = [];
  const otherFiles = [...links];
  const referrers = configFile === undefined ? [] : [configFile];
  const material: string[] = [];
  const names = new Map<string, FilePosition>();
  for (const { found, loaded } of await loadFiles(files, request)) {
    if (loaded !== undefined) referrers.push(found.file);
    else if (!isSettingsFile(found.file)) otherFiles.push(found.file);
    for (const part of loaded ?? []) {
      if (!('scenario' in part)) problems.push(...part);
      else {
        scenarios.push(part.scenario);
        material.push(...part.ownFolders, ...part.companions);
        const unasserted = await assertsNothing(part.scenario, part.namedAt, request.parts.evaluators);
        warnings.push(...part.warnings, ...unasserted);
        problems.push(...duplicateName(part, names));
      }
    }
  }
  // A scenario that cannot be read does not say what belongs to it.
  if (problems.length === 0)
    problems.push(...(await passedOverFiles({ files: otherFiles, links, paths, folder, referrers, material })));
  return { scenarios, problems: inReadingOrder(problems), warnings: inReadingOrder(warnings), otherFiles };
}

interface LoadedScenario {
  readonly scenario: Scenario;
  readonly warnings: readonly Problem[];
  readonly ownFolders: readonly string[];
  readonly companions: readonly string[];
  readonly namedAt: FilePosition;
}

/** The scenarios of a file, or their problems; undefined for a file without scenarios. */
type Loaded = readonly (LoadedScenario | readonly Problem[])[] | undefined;

interface LoadedFile {
  readonly found: FoundFile;
  readonly loaded: Loaded;
}

async function loadFiles(files: readonly FoundFile[], request: LoadRequest): Promise<LoadedFile[]> {
  const read: LoadedFile[] = [];
  const [modules, data] = [files.filter(({ file }) => isModule(file)), files.filter(({ file }) => !isModule(file))];
  for (const found of data) read.push({ found, loaded: await loadFile(found, request) });
  // Modules in the template of another scenario must not be executed.
  const folders = modules.length === 0 ? [] : ownFoldersOf(read, request);
  for (const found of modules) {
    const loaded = isMaterial(found, folders, request) ? undefined : await loadFile(found, request);
    read.push({ found, loaded });
  }
  for (const source of request.sources ?? []) {
    const found = { file: source.file, isNamed: true };
    read.push({ found, loaded: await withProblems(source.file, () => scenariosIn(source, found, request)) });
  }
  const allFolders = ownFoldersOf(read, request);
  const order = new Map(files.map((found, index) => [found, index]));
  return read
    .map((item) => (isMaterial(item.found, allFolders, request) ? { found: item.found, loaded: undefined } : item))
    .sort((a, b) => (order.get(a.found) ?? files.length) - (order.get(b.found) ?? files.length));
}

function isMaterial({ file, isNamed }: FoundFile, folders: readonly string[], { folder }: LoadRequest): boolean {
  return !isNamed && folders.some((own) => isInside(file, own, folder));
}

/** Folders with the templates and guidance of the scenarios. */
function ownFoldersOf(read: readonly LoadedFile[], { folder: projectFolder }: LoadRequest): string[] {
  return read.flatMap(({ found, loaded }) => {
    const own = (loaded ?? []).flatMap((part) => ('scenario' in part ? part.ownFolders : []));
    // The template of a scenario may be its own folder.
    return own.filter((folder) => !isInside(found.file, folder, projectFolder));
  });
}

/** Whether a file is in a template or guidance folder; subfolders named `scenarios` do not count. */
function isInside(file: string, material: string, folder: string): boolean {
  const [first, ...rest] = relative(material, resolve(folder, file)).split(sep);
  return first !== '..' && first !== 'scenarios' && !rest.includes('scenarios');
}

async function loadFile(found: FoundFile, request: LoadRequest): Promise<Loaded> {
  const { file } = found;
  if (found.isNamed && !isReadable(file)) return [[wrongKindOfFile(file)]];
  const peeked = found.isNamed ? 'unknown' : await peekAt(file, request.folder);
  if (peeked === 'own-document') return [];
  if (peeked === 'empty') return undefined;
  return withProblems(file, async () => {
    if (isModule(file)) return codeIn(file, request);
    return scenariosIn(await readSource(file, request.folder), found, request);
  });
}

/** A module is executed, so one that is found must have the name of a scenario; whatever else it exports is a mistake. */
async function codeIn(file: string, request: LoadRequest): Promise<Loaded> {
  if (request.executesModules === false) return [[unexecuted(file)]];
  const { readScenarioModule } = await import('./code/read-code.ts');
  const loaded: (LoadedScenario | readonly Problem[])[] = [];
  for (const scenario of await readScenarioModule(file, request.folder)) {
    if ('locate' in scenario) loaded.push(...((await scenariosIn(scenario, { file, isNamed: true }, request)) ?? []));
    else loaded.push(scenario);
  }
  return loaded;
}

function unexecuted(file: string): Problem {
  return {
    at: { file, line: 1, column: 1 },
    message: 'the file was not checked: it is code, and code is not executed here',
    hint: `Run \`assay validate ${file}\` in a shell.`,
  };
}

async function withProblems(file: string, read: () => Promise<Loaded>): Promise<Loaded> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ProblemsError) return [error.problems];
    const { message, hint } = asAssayError(error);
    return [[{ at: { file, line: 1, column: 1 }, message, hint }]];
  }
}

async function scenariosIn(
  source: ParsedSource,
  { file, isNamed }: FoundFile,
  { folder, parts, defaults }: LoadRequest,
): Promise<Loaded> {
  const schema = ownSchemaOf(source.value);
  if (schema !== undefined) return isNamed ? [[ownDocument(source, schema)]] : [];
  const format = scenarioFormats.find((candidate) => candidate.recognises(source.value));
  if (format) {
    const context = { parts, defaults, folder, directory: dirname(resolve(folder, file)) };
    const read =
      'readAll' in format
        ? await format.readAll(source, context)
        : [{ source, read: await format.read(source, context) }];
    return Promise.all(read.map(loadedPart));
  }
  const items = scenarioList(source);
  if (items) {
    const request = { folder, parts, defaults, paths: [] };
    const read = await Promise.all(items.map((item) => scenariosIn(item, { file, isNamed: true }, request)));
    return read.flatMap((part) => part ?? []);
  }
  if (!isNamed) return undefined;
  return [
    [
      {
        at: source.locate([]),
        message: 'not a scenario',
        hint: 'Add at least `name`, `call`, an input and criteria.',
      },
    ],
  ];
}

/** The scenarios of a list, or of a file with nothing but `scenarios`; undefined for other data, such as rows. */
function scenarioList(source: ParsedSource): readonly ParsedSource[] | undefined {
  const { value } = source;
  const isKeyed = isRecord(value) && Object.keys(value).every((key) => key === 'scenarios' || key === '$schema');
  const listed = isKeyed ? value.scenarios : value;
  if (!Array.isArray(listed) || !listed.some(namesTarget)) return undefined;
  return listed.map((_, index) => below(source, isKeyed ? ['scenarios', index] : [index]));
}

/** Rows of datasets have criteria as scenarios do, but nothing that is tested. */
function namesTarget(item: unknown): boolean {
  return isRecord(item) && ['call', 'target', 'connector', 'connectors'].some((key) => key in item);
}

function ownDocument(source: ParsedSource, schema: string): Problem {
  const message = `this is an output of Assay (${schema}), not a scenario`;
  return { at: source.locate([]), message, hint: 'Name the scenario files instead.' };
}

async function loadedPart({ source, read }: ReadPart): Promise<LoadedScenario | readonly Problem[]> {
  if (!('cases' in read)) return read;
  const { warnings = [], ownFolders = [], companions = [], ...scenario } = read;
  const ci = await checkCi(scenario, source);
  if (ci.problems.length > 0) return ci.problems;
  const namedAt = source.locate(['name']);
  return { scenario, warnings: [...warnings, ...ci.warnings], ownFolders, companions, namedAt };
}

/** Results are found and compared by the name of their scenario. */
function duplicateName({ scenario: { name }, namedAt }: LoadedScenario, names: Map<string, FilePosition>): Problem[] {
  const first = names.get(name);
  if (!first) names.set(name, namedAt);
  return first
    ? [
        {
          at: namedAt,
          message: `duplicate scenario name "${name}": first at ${formatPosition(first)}`,
          hint: 'Give each scenario its own name: results are found by it.',
        },
      ]
    : [];
}

function isReadable(file: string): boolean {
  return [...dataExtensions, '.toml'].includes(extname(file).toLowerCase()) || isModule(file);
}

function wrongKindOfFile(file: string): Problem {
  const isDataset = ['.csv', '.jsonl', '.ndjson'].includes(extname(file).toLowerCase());
  const hint = isDataset ? 'Use it in a scenario: `dataset: { path: … }`.' : undefined;
  return {
    at: { file, line: 1, column: 1 },
    message: `not a scenario file: its name must end in ${dataExtensions.join(', ')}, .toml, .ts or .js`,
    hint,
  };
}
