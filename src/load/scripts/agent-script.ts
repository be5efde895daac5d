import { dirname } from 'node:path';
import { ProblemsError } from '../../domain/problem.ts';
import { type AgentScript, agentScriptSchema } from '../../drive/agents/scripted/script.ts';
import { problemsOf } from '../sources/schema-problems.ts';
import { readSource } from '../sources/source-file.ts';

/** Reads the script of a scripted agent; each problem is reported with its place. */
export async function loadAgentScript(path: string): Promise<AgentScript> {
  const source = await readSource(path, dirname(path));
  const parsed = agentScriptSchema.safeParse(source.value);
  if (parsed.success) return parsed.data;
  throw new ProblemsError(problemsOf(parsed.error, source, agentScriptSchema));
}
