import type { Rule } from '../definitions/rule.ts';
import { annotationRules } from './annotations.ts';
import { argumentRules } from './arguments.ts';
import { descriptionRules } from './descriptions.ts';
import { endlessRules } from './endless-values.ts';
import { iconRules } from './icons.ts';
import { nameRules } from './names.ts';
import { safetyRules } from './safety.ts';
import { schemaRules } from './schemas.ts';
import { toolChoiceRules } from './tool-choice.ts';

/** Every rule that looks at definitions, in the order of the report among those of the same severity. */
export const rules: readonly Rule[] = [
  ...schemaRules,
  ...nameRules,
  ...endlessRules,
  ...safetyRules,
  ...descriptionRules,
  ...toolChoiceRules,
  ...argumentRules,
  ...annotationRules,
  ...iconRules,
];
