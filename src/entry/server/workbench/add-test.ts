import { basename, dirname, relative } from 'node:path/posix';
import { stringify } from 'yaml';
import { AssayError } from '../../../domain/errors.ts';
import type { ServerDefinition } from '../../../drive/mcp/server-definition.ts';
import { parseSource } from '../../../load/sources/source-file.ts';
import { isRecord } from '../../../shared/json.ts';
import type { AddedTest, AddTest, TestPart, TestPlaces } from '../api/workbench.ts';
import { editValue } from '../files/edit-part.ts';
import { assertAmongScenarios, assertRunnable, newScenarioFile } from '../files/named-scenarios.ts';
import { doneOrConflict, type ProjectFiles } from '../files/project-files.ts';
import { testOfCall } from './test-of-call.ts';
import type { WorkbenchSession } from './workbench-session.ts';

/** Where the tests of each part stand in a file about a server. */
const places: Readonly<Record<TestPart, readonly [suites: string, tests: string]>> = {
  tool: ['toolHealthSuites', 'tests'],
  resource: ['resourceSuites', 'tests'],
  prompt: ['promptSuites', 'tests'],
  sampling: ['samplingSuites', 'requestTests'],
  elicitation: ['elicitationSuites', 'requestTests'],
};
const partNames = Object.keys(places) as TestPart[];

/** The files of a project that tests of a session can be added to. */
export interface SuiteFiles {
  readonly files: ProjectFiles;
  /** Files and folders of scenarios, as the config has them. */
  scenarioPaths(): Promise<readonly string[]>;
  /** Names of all scenarios of the project. */
  scenarioNames(): Promise<readonly string[]>;
  /** Files that name the server of a session. */
  filesWith(session: WorkbenchSession): Promise<readonly string[]>;
}

/** The files about the server of a session, with their suites. */
export async function testPlaces(session: WorkbenchSession, suites: SuiteFiles): Promise<TestPlaces> {
  const named = await suites.filesWith(session);
  const files = await Promise.all(
    named.map(async (file) => {
      const { text, whyNot } = await suites.files.read(file);
      const source = whyNot === null ? await parseSource(file, text) : undefined;
      return { file, suites: source ? suitesIn(source.value) : [], whyNot };
    }),
  );
  const paths = await suites.scenarioPaths();
  const subject = subjectOf(session.settings.definition);
  const newSuite = freeSuiteName(await suites.scenarioNames());
  for (let number = 1; ; number++) {
    const newFile = newScenarioFile(number === 1 ? subject : `${subject}-${number}`, paths);
    if (!(await suites.files.isThere(newFile))) return { files, newFile, newSuite };
  }
}

/** Results are found by the name of a scenario, so no two suites of a project have the same one. */
function freeSuiteName(taken: readonly string[]): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? 'By hand' : `By hand ${number}`;
    if (!taken.includes(name)) return name;
  }
}

function suitesIn(value: unknown): { part: TestPart; name: string }[] {
  return partNames.flatMap((part) =>
    listAt(value, places[part][0]).flatMap((suite) =>
      isRecord(suite) && typeof suite.name === 'string' ? [{ part, name: suite.name }] : [],
    ),
  );
}

function listAt(value: unknown, key: string): readonly unknown[] {
  const list = isRecord(value) ? value[key] : undefined;
  return Array.isArray(list) ? list : [];
}

/** The program or the host of a server. */
function subjectOf(definition: ServerDefinition): string {
  if (definition.transport === 'mock') return definition.name;
  if (definition.transport !== 'stdio') return new URL(definition.url).hostname;
  const { command, args } = definition;
  return basename(args.find((arg) => !arg.startsWith('-')) ?? command).replace(/\.\w+$/, '');
}

/** Writes a call of a session as a test into a file about its server; comments and order of the file stay. */
export async function addTest(
  session: WorkbenchSession,
  callId: string,
  { file, suite, name, expect = 'same' }: AddTest,
  suites: SuiteFiles,
): Promise<AddedTest> {
  const { call, answered } = session.finishedCall(callId);
  const part = call.testPart ?? 'tool';
  const test = testOfCall(call, answered, name, expect);
  const existing = await suites.filesWith(session);
  const isNewFile = !existing.includes(file);
  if (isNewFile) await assertNewFile(file, session, suites);
  const revision = isNewFile ? null : (await suites.files.read(file)).revision;
  const written = await suites.files.edit(file, { kind: 'scenario', revision }, async (current = '') => {
    const text = isNewFile
      ? await editValue(file, '', [], { server: writtenServer(session, file), ...newSuites(part, suite, test) })
      : await withTest(file, current, part, suite, test);
    assertRunnable(file, await suites.files.check({ path: file, kind: 'scenario', text }));
    return text;
  });
  doneOrConflict(written);
  return { file, suite, isNewFile, text: stringify([test], { lineWidth: 0 }) };
}

async function assertNewFile(file: string, { settings }: WorkbenchSession, suites: SuiteFiles): Promise<void> {
  if (settings.file !== undefined) {
    throw new AssayError('USAGE', `${file} does not name the server "${settings.label}".`, {
      hint: `Add the test to ${settings.file}.`,
    });
  }
  if (!/\.ya?ml$/.test(file)) throw new AssayError('USAGE', `"${file}" is not the name of a YAML file.`);
  assertAmongScenarios(file, await suites.scenarioPaths());
}

function newSuites(part: TestPart, suite: string, test: unknown): Record<string, unknown> {
  const [suitesKey, testsKey] = places[part];
  return { [suitesKey]: [{ name: suite, [testsKey]: [test] }] };
}

async function withTest(file: string, text: string, part: TestPart, suite: string, test: unknown): Promise<string> {
  const [suitesKey, testsKey] = places[part];
  const { value } = await parseSource(file, text);
  const all = listAt(value, suitesKey);
  const index = all.findIndex((each) => isRecord(each) && each.name === suite);
  if (index < 0) return editValue(file, text, [suitesKey], [...all, { name: suite, [testsKey]: [test] }]);
  const tests = listAt(all[index], testsKey);
  return editValue(file, text, [suitesKey, index, testsKey], [...tests, test]);
}

/** How a typed server is started or reached, as a file says it; programs start in the folder of the project. */
function writtenServer({ settings }: WorkbenchSession, file: string): Record<string, unknown> {
  const { definition } = settings;
  if (definition.transport === 'mock') return definition;
  if (definition.transport !== 'stdio') return { transport: definition.transport, url: definition.url };
  const { transport, command, args } = definition;
  const cwd = relative(dirname(file), '.');
  return { transport, command, args, ...(cwd !== '' && { cwd }) };
}
