import type { Rule } from '../definitions/rule.ts';
import { annotationsContradict, annotationsMissing } from './annotations.ts';
import { argumentsOpen, argumentUntyped, enumInProse, outputUnbounded } from './arguments.ts';
import {
  argumentDescriptionMissing,
  instructionsMissing,
  promptDescriptionMissing,
  toolDescriptionLong,
  toolDescriptionMissing,
  toolDescriptionRepeatsName,
  toolDescriptionShort,
} from './descriptions.ts';
import { schemaEndless } from './endless-values.ts';
import { iconUnusable } from './icons.ts';
import { toolNameDuplicate, toolNameInvalid, toolNameNotPortable, toolNamesClash } from './names.ts';
import { injectionLikeText, invisibleCharacters, machinePathInDefinition, secretInDefinition } from './safety.ts';
import {
  definitionMalformed,
  outputSchemaMissing,
  requiredUnknown,
  schemaInvalid,
  schemaKeywordUnknown,
  schemaNotObject,
  schemaReferenceExternal,
} from './schemas.ts';
import { definitionsHeavy, toolDefinitionHeavy, toolsAmbiguous, toolsTooMany } from './tool-choice.ts';

/** Every rule that looks at definitions, in the order of the report. */
export const rules: readonly Rule[] = [
  definitionMalformed,
  toolNameInvalid,
  toolNameDuplicate,
  schemaNotObject,
  schemaInvalid,
  schemaEndless,
  requiredUnknown,
  secretInDefinition,
  invisibleCharacters,
  toolDescriptionMissing,
  injectionLikeText,
  toolNameNotPortable,
  toolNamesClash,
  toolsAmbiguous,
  toolsTooMany,
  definitionsHeavy,
  toolDescriptionRepeatsName,
  toolDescriptionShort,
  toolDescriptionLong,
  argumentDescriptionMissing,
  argumentUntyped,
  enumInProse,
  schemaKeywordUnknown,
  schemaReferenceExternal,
  annotationsContradict,
  iconUnusable,
  machinePathInDefinition,
  argumentsOpen,
  outputUnbounded,
  toolDefinitionHeavy,
  outputSchemaMissing,
  annotationsMissing,
  promptDescriptionMissing,
  instructionsMissing,
];
