import * as z from 'zod';
import { AssayError } from '../../../../domain/errors.ts';
import { type SkillUse, skillsOf, skillUse } from '../../../../domain/tools/skill-use.ts';
import { isRecord } from '../../../../shared/json.ts';
import { suggestion } from '../../../../shared/suggest.ts';
import { defineEvaluator, type EvaluationContext } from '../../evaluator.ts';
import { verdict } from '../text/answer-text.ts';

const configSchema = () =>
  z.strictObject({
    skill: z.string().min(1).optional().describe('name of the skill; by default the only one of the variant'),
    used: z
      .boolean()
      .optional()
      .describe('false: it must not be used; by default as the prompt of `triggers` says, else true'),
  });

/** The agent loaded the instructions of a skill, or did not where it should not. */
export const skillUsed = defineEvaluator({
  type: 'skill-used',
  kind: 'assertion',
  summary: 'the agent loaded a skill or read its SKILL.md; with `used: false`, it did not',
  example: { skill: 'weekly-report' },
  reads: { channels: { 'tool-calls': 'exact' } },
  configSchema,
  prepare:
    ({ skill, used }) =>
    (context) => {
      const { trial, trace } = context;
      const isWanted = used ?? triggersOf(context) ?? true;
      // A variant without skills has none that could be used.
      if (trial.variant.skills !== undefined && skillsOf(trace).length === 0 && skill === undefined) {
        return { state: 'skipped', reason: 'This variant has no skill', metadata: { applies: false } };
      }
      const { isUsed, reason } = useOf(context, skill);
      const words = `${isUsed ? 'The skill was used' : 'The skill was not used'}: ${reason}`;
      return { ...verdict(isUsed === isWanted, words), restsOn: isUsed ? 'seen' : 'silence' };
    },
});

/** Whether the prompt of the case should trigger the skill; undefined for a case that does not say so. */
export function triggersOf({ trial }: Pick<EvaluationContext, 'trial'>): boolean | undefined {
  const { expected } = trial.case;
  return isRecord(expected) && typeof expected.triggers === 'boolean' ? expected.triggers : undefined;
}

/** Whether the agent used a skill by its name, or the only one that it has. */
export function useOf({ trace }: Pick<EvaluationContext, 'trace'>, name: string | undefined): SkillUse {
  const laidDown = skillsOf(trace);
  const named = name === undefined ? laidDown : laidDown.filter((skill) => skill.name === name);
  const [skill, another] = named;
  if (another !== undefined) {
    throw new AssayError('CRITERION_UNUSABLE', 'The variant has several skills.', {
      hint: `Name one with \`skill\`: ${laidDown.map((other) => other.name).join(', ')}.`,
    });
  }
  if (skill !== undefined) return skillUse(trace, skill);
  const message = name === undefined ? 'The trial has no skill.' : `The trial has no skill "${name}".`;
  const names = laidDown.map((other) => other.name);
  const hint = 'Add the folder of the skill to `skills`.';
  throw new AssayError('CRITERION_UNUSABLE', message, {
    hint: name === undefined || names.length === 0 ? hint : `${suggestion(name, names)} ${hint}`,
  });
}
