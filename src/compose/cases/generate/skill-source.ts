import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import * as z from 'zod';
import { AssayError } from '../../../domain/errors.ts';
import { parseSkill } from '../../../domain/skill.ts';
import { encodeData } from '../../../drive/models/prompting/encode-data.ts';
import { contentNonce, raiseFence } from '../../../drive/models/prompting/fence.ts';
import { templateOf } from '../../../drive/models/prompting/template.ts';
import { printable } from '../../../shared/text.ts';
import { projectRedaction } from '../../config/redaction.ts';
import { slugOf } from '../scenario-text.ts';
import { DraftFolder } from './draft-folder.ts';
import { existingKeys, promptKey } from './existing-cases.ts';
import { skillFile } from './find-source.ts';
import {
  countsOf,
  firstOfEach,
  type Generated,
  type GenerateOptions,
  outputFolder,
  withLabels,
} from './generate-cases.ts';
import type { GeneratedFile } from './generated-case.ts';
import { modelReply } from './model-reply.ts';
import templateText from './prompts/skill-cases.v1.md?raw';

const template = templateOf(templateText);
const mostOfAKind = 8;
const longestText = 2_000;
const mostExpectations = 6;

const replySchema = z.object({
  tasks: z.array(z.object({ prompt: z.string(), expectations: z.array(z.string()) })),
  triggers: z.array(z.string()),
  near_misses: z.array(z.string()),
});

/** A request that a model worded, and what it is for. */
interface SkillCase {
  readonly label: 'task' | 'trigger' | 'near-miss';
  readonly text: string;
  /** Of a task. */
  readonly expectations: readonly string[];
}

interface WrittenSkill {
  readonly name: string;
  /** Absolute. */
  readonly folder: string;
  readonly text: string;
}

/** Scenarios for a skill: tasks with and without it, and requests that should and should not trigger it. */
export async function casesOfSkill(options: GenerateOptions): Promise<Generated> {
  const { model, project, env, output } = options;
  if (model === undefined) {
    throw new AssayError('USAGE', 'Tasks and requests for a skill are worded by a model.', {
      hint: 'Name it: --model openai/gpt-4o-mini.',
    });
  }
  const folder = outputFolder(options);
  const skill = await readSkill(options);
  const lines = [encodeData({ file: skillFile, text: projectRedaction(project, env)(skill.text) })];
  const content = template({ data: raiseFence(lines, contentNonce).wrap(lines), most: String(mostOfAKind) });
  const { value, costUsd } = await modelReply(replySchema, content, { ...options, model });
  const worded = wordedCases(value);
  const usable = worded.filter(isUsable);
  const fresh = firstOfEach(usable, ({ text }) => promptKey(text), await existingKeys(project, env, output));
  // Near misses alone would say nothing about a skill that is never used.
  const kept = fresh.some(({ label }) => label === 'trigger') ? fresh : fresh.filter(({ label }) => label === 'task');
  if (kept.length === 0) {
    throw new AssayError(
      'NOTHING_TO_RUN',
      `The reply of ${model} has no case that the project does not have already.`,
      {
        hint: 'Try again with another model, or write a case by hand.',
      },
    );
  }
  const files = filesOf(kept, skill, folder).map((file) => withLabels(file, options));
  await using draft = new DraftFolder(folder, options);
  await draft.write(files);
  return {
    kind: 'skill',
    files: files.map(({ name }) => join(output, name).replaceAll('\\', '/')),
    cases: countsOf(kept),
    duplicates: usable.length - kept.length,
    rejected: worded.length - usable.length,
    costUsd,
    coverage: [{ ...nothingCovered, tool: skill.name, prompts: kept.length }],
    variables: [],
  };
}

const nothingCovered = {
  calls: 0,
  argumentsUsed: 0,
  argumentsTotal: 0,
  unusedArguments: [],
  boundaries: 0,
  errorPaths: 0,
  note: null,
};

async function readSkill({ from, cwd }: GenerateOptions): Promise<WrittenSkill> {
  const path = resolve(cwd, from);
  const file = basename(path) === skillFile ? path : join(path, skillFile);
  if (!existsSync(file)) throw new AssayError('FILE_NOT_FOUND', `There is no ${skillFile} in ${from}.`);
  const text = await readFile(file, 'utf8');
  const skill = parseSkill(text);
  if ('problem' in skill) throw new AssayError('FILE_INVALID', `${from}: the SKILL.md ${skill.problem}.`);
  return { name: skill.name, folder: dirname(file), text };
}

function wordedCases({ tasks, triggers, near_misses: misses }: z.output<typeof replySchema>): SkillCase[] {
  const requests = (label: SkillCase['label'], texts: readonly string[]): SkillCase[] =>
    texts.map((text) => ({ label, text: printable(text).trim(), expectations: [] }));
  return [
    ...tasks.map(({ prompt, expectations }) => ({
      label: 'task' as const,
      text: printable(prompt).trim(),
      expectations: expectations.map((text) => printable(text).trim()),
    })),
    ...requests('trigger', triggers),
    ...requests('near-miss', misses),
  ];
}

/** A task without expectations would be judged by nothing. */
function isUsable({ label, text, expectations }: SkillCase): boolean {
  if (text === '' || text.length > longestText) return false;
  const isJudged = expectations.length > 0 && expectations.length <= mostExpectations && !expectations.includes('');
  return label !== 'task' || isJudged;
}

function filesOf(cases: readonly SkillCase[], { name, folder }: WrittenSkill, output: string): GeneratedFile[] {
  const place = relative(output, folder).replaceAll('\\', '/') || '.';
  const textsOf = (label: SkillCase['label']) => cases.filter((one) => one.label === label).map(({ text }) => text);
  const tasks = cases.filter(({ label }) => label === 'task');
  const triggers = { should: textsOf('trigger'), should_not: textsOf('near-miss') };
  return [
    ...tasks.map(({ text, expectations }, index) => ({
      name: `${slugOf(name)}-task-${index + 1}.yaml`,
      content: {
        name: `${name}: task ${index + 1}`,
        tags: ['task', 'from-model'],
        skills: { with: place, without: null },
        task: { prompt: text },
        evaluators: [{ type: 'llm-judge', config: { successCriteria: expectations, look: true } }],
      },
    })),
    ...(triggers.should.length === 0
      ? []
      : [
          {
            name: `${slugOf(name)}-triggers.yaml`,
            content: {
              name: `${name}: triggers`,
              tags: ['triggers', 'from-model'],
              skills: { with: place },
              triggers,
            },
          },
        ]),
  ];
}
