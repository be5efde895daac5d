import { dirname } from 'node:path';
import type * as z from 'zod';
import { ProblemsError } from '../domain/problem.ts';
import { type AgentScript, agentScriptSchema } from '../drive/agents/scripted/script.ts';
import { type Script, scriptSchema } from '../drive/models/scripted/script.ts';
import { problemsOf } from './sources/schema-problems.ts';
import { readSource } from './sources/source-file.ts';

/** Reads the script of a scripted agent; each problem is reported with its position. */
export async function loadAgentScript(path: string): Promise<AgentScript> {
  const source = await readSource(path, dirname(path));
  const parsed = agentScriptSchema.safeParse(source.value);
  if (parsed.success) return parsed.data;
  throw new ProblemsError(problemsOf(parsed.error, source, agentScriptSchema));
}

/** Reads a script; each problem is reported with its position. `file` is the path as the user wrote it. */
export async function loadModelScript(file: string, folder: string): Promise<Script> {
  const source = await readSource(file, folder);
  const parsed = scriptSchema.safeParse(source.value);
  if (parsed.success) return parsed.data;
  throw new ProblemsError(problemsOf({ issues: parsed.error.issues.flatMap(meantIssues) }, source, scriptSchema));
}

/** For a choice between a word and an object, only the issues of the one in the file. */
function meantIssues(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const asObject = issue.errors.find((issues) => issues.every(({ path, code }) => path.length > 0 || !isKind(code)));
  const asWord = issue.errors.find((issues) => issues.some(({ code }) => code === 'invalid_value'));
  const meant = asObject ?? asWord;
  return meant ? meant.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })) : [issue];
}

function isKind(code: z.core.$ZodIssue['code']): boolean {
  return code === 'invalid_type' || code === 'invalid_value';
}
