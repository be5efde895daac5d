import { join } from 'node:path';
import { ProblemsError } from '../../../domain/problem.ts';
import { parseSource } from '../../../load/sources/source-file.ts';
import type { Project } from '../../config/project.ts';
import { projectRedaction } from '../../config/redaction.ts';
import { ProjectJudging } from '../../judge/judging.ts';
import { namesOf, StandInTrials } from '../../prove/passed-stand-ins.ts';
import type { StandIn } from '../../prove/stand-ins.ts';
import { checkScenarios } from '../../run/check-scenarios.ts';
import { UntouchedGates } from '../../run/untouched-gates.ts';
import type { CaseSource, GeneratedCall } from './generated-case.ts';

interface ProofOptions {
  readonly project: Project;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder of the generated files, relative to the project. */
  readonly output: string;
  /** The text of the scenario file that has these calls. */
  text(call: GeneratedCall): string;
}

/** Calls that say something about the tool, and why others of a tool were left out. */
interface ProvenCalls {
  readonly calls: readonly GeneratedCall[];
  readonly notes: ReadonlyMap<string, string>;
}

/**
 * Evaluates the case of each call with empty, wrong and echoing answers in place of those of the tool, as a run would. A
 * call whose case one of them passes says nothing about the tool, and is left out.
 */
export async function provenCalls({ calls, surface }: CaseSource, options: ProofOptions): Promise<ProvenCalls> {
  const { project, env } = options;
  await using judging = new ProjectJudging(project, {}, env);
  const services = { env, updatesGolden: false, redact: projectRedaction(project, env) };
  const trials = new StandInTrials(project, new UntouchedGates(project.parts.evaluators, judging, services));
  const proven: GeneratedCall[] = [];
  const notes = new Map<string, string>();
  for (const call of calls) {
    const passed: StandIn[] = [];
    for (const scenario of await scenariosOf(call, options)) {
      for await (const item of scenario.cases()) {
        for (const part of await trials.evaluate(scenario, item, surface.tools)) passed.push(...part.passed);
      }
    }
    if (passed.length === 0) proven.push(call);
    else if (!notes.has(call.tool)) notes.set(call.tool, `left out ${call.title}: it passes with ${namesOf(passed)}`);
  }
  return { calls: proven, notes };
}

async function scenariosOf(call: GeneratedCall, { project, env, output, text }: ProofOptions) {
  const source = await parseSource(join(output, 'call.yaml'), text(call));
  const { scenarios, problems } = await checkScenarios([], project, env, { sources: [source] });
  if (problems.length > 0) throw new ProblemsError(problems);
  return scenarios;
}
