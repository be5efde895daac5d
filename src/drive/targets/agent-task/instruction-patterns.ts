import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { instructionsOf } from '../../agents/agent.ts';
import type { InstructionPatterns, InstructionText } from '../../gateway/found-instructions.ts';
import { instructionNames } from '../../workspace/instruction-files.ts';
import type { AgentRun } from './agent-run.ts';
import type { InstalledSkill } from './installed-skills.ts';

/** Agents put no longer files into their prompts whole. */
const longestBytes = 262_144;
const wholeCharacters = 4_096;

/** The instructions of a trial and those around the project, as they are looked for in the prompts of its agent. */
export function instructionPatterns(run: AgentRun, skills: readonly InstalledSkill[]): InstructionPatterns {
  const { trial, config, workspace, folder, agent, work, context } = run;
  const { laid } = workspace;
  const ofTemplate = instructionsOf(agent).files.filter((path) => !laid.includes(path));
  const own = [
    ...textsIn(workspace.directory, laid).map((text) => ({ ...text, from: 'guidance' as const })),
    ...textsIn(workspace.directory, ofTemplate).map((text) => ({ ...text, from: 'template' as const })),
  ];
  const around = [work.projectFolder, trial.scenario.directory, ...(context.env.HOME ? [context.env.HOME] : [])];
  const names = instructionNames.filter((name) => name.endsWith('.md'));
  const userFiles = ['.claude/CLAUDE.md', '.codex/AGENTS.md', '.gemini/GEMINI.md', '.qwen/QWEN.md'];
  const foreign = [...new Set(around)].flatMap((folder) =>
    textsIn(folder, [...names, ...userFiles]).map((found) => ({ ...found, path: join(folder, found.path) })),
  );
  return {
    // Only what was laid down can arrive.
    guidance: laid.length > 0 ? (trial.variant.guidance ?? null) : null,
    texts: own,
    places: { workDirectory: workspace.directory, trialFolder: folder.path },
    skills: skills.flatMap((skill) => recognisable(skill, [config.prompt, ...own.map(({ text }) => text)])),
    // The template or the guidance may hold the same text as the project.
    foreign: foreign.filter(({ text }) => !own.some((other) => other.text.trim() === text.trim())),
  };
}

/** A skill by the lines that are in no other text which reaches the model anyway. */
function recognisable(
  { name, signature }: InstalledSkill,
  others: readonly string[],
): { name: string; lines: string[] }[] {
  const lines = signature.filter((line) => !others.some((text) => text.includes(line)));
  return lines.length === 0 ? [] : [{ name, lines }];
}

function textsIn(folder: string, paths: readonly string[]): InstructionText[] {
  return paths.flatMap((path) => {
    const text = textOf(join(folder, path));
    return text === undefined || text.trim() === '' ? [] : [{ path, text, canary: canaryOf(text) }];
  });
}

/** Agents cut long files and leave comments out, so such a file is recognised by the longest line of its beginning. */
function canaryOf(text: string): string | undefined {
  if (text.length <= wholeCharacters && !text.includes('<!--')) return undefined;
  const lines = text
    .slice(0, wholeCharacters)
    .replace(/<!--[\s\S]*?(?:-->|$)/g, '')
    .split('\n');
  return lines
    .map((line) => line.trim())
    .reduce((longest, line) => (line.length > longest.length ? line : longest), '');
}

/** Neither a link to a device nor a pipe may hold up a trial. */
function textOf(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(file);
    if (!stats.isFile()) return undefined;
    const bytes = Buffer.alloc(Math.min(stats.size, longestBytes));
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, 0)).toString('utf8');
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
