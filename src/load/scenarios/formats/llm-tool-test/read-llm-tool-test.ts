import type { Problem } from '../../../../domain/problem.ts';
import type { Case, PartSpec } from '../../../../domain/scenario.ts';
import type { Variant } from '../../../../domain/variant.ts';
import { isRecord } from '../../../../shared/json.ts';
import { type DataPath, type ParsedSource, valueAt } from '../../../sources/parsed-source.ts';
import {
  type CliToolDefaults,
  caseByCase,
  commonParts,
  noCliToolDefaults,
  type ReadContext,
  type ReadScenario,
  trialLimitMs,
} from '../../scenario-format.ts';
import { type Arms, chooseVariants, overridingKey, surfaceProblemsOfServers, withSurfaces } from '../agent-variants.ts';
import { readApprovals, withApprovals } from '../approvals-section.ts';
import { readCliControl, withFaultSets } from '../faults-section.ts';
import { refuseUnknownServers, refuseUnknownSkills } from '../known-names.ts';
import { parseTolerantly } from '../tolerant-parse.ts';
import { hashesOf } from './content-hash.ts';
import { compositeWeights, readEvaluation, readGates } from './evaluation-section.ts';
import { warnOfGraders } from './grader-warnings.ts';
import { findHarnesses, withHarnesses } from './harness-section.ts';
import { type LlmToolTestFile, type LlmToolTestReading, llmToolTestSchema } from './llm-tool-test-schema.ts';
import { findDockerfile, findGuidance, findTemplate } from './named-files.ts';
import { findSkills, type SkillArms, triggerCases } from './skills-section.ts';
import {
  browserProblems,
  cliToolConfig,
  controlProblems,
  promptOf,
  resolveTarget,
  targetProblems,
} from './target-section.ts';

/** Sections with the user's own keys, or with their own rules for empty values. */
const untouched = new Set([
  'env',
  'evaluators',
  'guidance',
  'skills',
  'harness',
  'mcp_servers',
  'subsets',
  'tools',
  'faults',
  'approvals',
]);

/** Data without empty keys: an empty section counts as missing. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isRecord(value)) return value;
  const filled = Object.entries(value).filter(([, part]) => part !== null);
  return Object.fromEntries(filled.map(([key, part]) => [key, untouched.has(key) ? part : withoutEmpty(part)]));
}

/** Agents take longer than direct calls. */
const defaultTimeoutSecs = 300;

/** Reads a scenario file of llm-tool-test, or returns its problems. */
export async function readLlmToolTest(
  source: ParsedSource,
  context: ReadContext,
): Promise<ReadScenario | readonly Problem[]> {
  const defaults = context.defaults.cliTools ?? noCliToolDefaults;
  const reading: LlmToolTestReading = { source, context, defaults, found: { problems: [], warnings: [] } };
  const { found } = reading;
  const filled = withoutEmpty(source.value);
  const value = isRecord(filled) ? filled : {};
  const schema = llmToolTestSchema(context.parts, value);
  const file = parseTolerantly({ schema, value, source, isTolerant, decidingKeys }, found);
  const gates = await readGates(value, binaryIn(value, defaults), reading);
  const scenario = file && (await buildScenario(file, gates, reading));
  return scenario && found.problems.length === 0 ? { ...scenario, warnings: found.warnings } : found.problems;
}

/** Keys that decide whether the work passes, or what the tool does. */
const decidingKeys = [
  'evaluation',
  'gates',
  'evaluators',
  'scripts',
  'tools',
  'faults',
  'approvals',
  'harness',
  'replay',
  'attack',
  'surfaces',
];

/** llm-tool-test ignored unknown keys; where the work is judged they are refused. */
function isTolerant([first]: DataPath): boolean {
  return first !== 'mcp_servers' && first !== 'browser' && first !== 'ci' && !decidingKeys.includes(String(first));
}

function binaryIn(value: unknown, { target, targetBinary }: CliToolDefaults): string {
  const written = valueAt(value, ['target', 'binary']);
  return targetBinary ?? (typeof written === 'string' ? written : (target?.binary ?? 'my-tool'));
}

/** Whether graders run in a container, with the programs of its image. */
function isInImage({ isolation, image, dockerfile }: LlmToolTestFile): boolean {
  return isolation === 'container' || image !== undefined || dockerfile !== undefined;
}

async function buildScenario(
  file: LlmToolTestFile,
  gates: readonly PartSpec[],
  reading: LlmToolTestReading,
): Promise<ReadScenario | undefined> {
  const { source, context, defaults, found } = reading;
  const target = await resolveTarget(file, reading);
  const template = await findTemplate(file.template_folder, reading);
  const hasSetup = file.setup !== undefined || file.guidance !== undefined;
  const tools = target?.binary === undefined ? [] : [target.binary, ...target.binaries];
  const path = isInImage(file) ? undefined : defaults.path;
  warnOfGraders(source.value, { template, hasSetup, tools, path }, reading);
  const arms = await findGuidance(file.guidance, reading);
  const guidance = new Map([...arms].flatMap(([name, path]) => (path === null ? [] : [[name, path] as const])));
  const skills = await findSkills(file.skills, reading);
  const skillNames = [...skills.values()].flatMap((arm) => arm.map(({ name }) => name));
  refuseUnknownSkills(file.evaluators, skillNames, reading);
  refuseUnknownServers(file.evaluators, Object.keys(file.mcp_servers), reading);
  const dockerfile = await findDockerfile(file.dockerfile, reading);
  const harness = await findHarnesses(file.harness, reading);
  const named = readVariants(file, { guidance: [...arms.keys()], skills: [...skills.keys()] }, reading);
  const variants = await withHarnesses(named, file.harness, harness, reading);
  const evaluation = await readEvaluation(file, gates, reading);
  const composite = compositeWeights(file, reading);
  const config = target && cliToolConfig(file, target, { template, guidance, skills, harness, dockerfile });
  if (config) found.problems.push(...targetProblems(config, reading));
  if (config) found.problems.push(...controlProblems(file, config, reading));
  found.problems.push(...browserProblems(file, evaluation?.evaluators ?? [], reading));
  const hasTool = target?.binary !== undefined;
  // Without a tool there is nothing that its use could be measured by.
  const evaluators = evaluation?.evaluators.filter(({ type }) => hasTool || type !== 'interaction') ?? [];
  const cases = evaluation && (await readCases(file, evaluators, reading));
  if (!target || !cases || found.problems.length > 0) return undefined;
  const content = [evaluation.judge.evaluators, ...(file.triggers === undefined ? [] : [cases])];
  return {
    ...commonParts(file, source, context),
    files: evaluation.judge.files,
    timeoutMs: trialLimitMs(file.run.timeout_secs, context.defaults, defaultTimeoutSecs),
    target: { type: 'cli-tool', config },
    judge: evaluation.judge.choice,
    variants,
    composite,
    control: readCliControl(file, source),
    approvals: readApprovals(file.approvals, source),
    attack: file.attack,
    caseCount: cases.length,
    ...(await hashesOf({ template, guidance, skills, harness, target, content }, reading)),
    ownFolders: [
      ...(template === undefined ? [] : [template]),
      ...guidance.values(),
      ...foldersOf(skills),
      ...[...harness.files.values()].flat(),
    ],
    cases: () => caseByCase(cases),
  };
}

function foldersOf(skills: SkillArms): string[] {
  return [...skills.values()].flatMap((arm) => arm.map(({ folder }) => folder));
}

async function readCases(
  file: LlmToolTestFile,
  evaluators: readonly PartSpec[],
  reading: LlmToolTestReading,
): Promise<readonly Case[] | undefined> {
  if (file.triggers !== undefined) return triggerCases(file, evaluators, reading);
  return [{ caseId: 'task', input: promptOf(file), expected: undefined, evaluators }];
}

function readVariants(file: LlmToolTestFile, arms: Arms, reading: LlmToolTestReading): readonly Variant[] {
  const { source, defaults, found } = reading;
  const { variants, problems } = chooseVariants(file, defaults, arms);
  const unoffered = surfaceProblemsOfServers(file, Object.keys(file.mcp_servers));
  found.problems.push(
    ...[...problems, ...unoffered].map(({ path, ...words }) => ({ at: source.locate(path), ...words })),
  );
  const overriding = overridingKey(file, defaults);
  if (overriding) {
    const message = `\`${overriding}\` overrides the agents and models of the command line`;
    found.warnings.push({ at: source.locateKey([], overriding), message });
  }
  return withApprovals(withFaultSets(withSurfaces(variants, file.surfaces), file.faults), file.approvals);
}
