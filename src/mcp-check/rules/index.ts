import type { Rule } from '../rule.ts';
import { annotationsContradict } from './annotations-contradict.ts';
import { annotationsMissing } from './annotations-missing.ts';
import { argumentDescriptionMissing } from './argument-description-missing.ts';
import { argumentUntyped } from './argument-untyped.ts';
import { argumentsOpen } from './arguments-open.ts';
import { definitionMalformed } from './definition-malformed.ts';
import { enumInProse } from './enum-in-prose.ts';
import { injectionLikeText } from './injection-like-text.ts';
import { instructionsMissing } from './instructions-missing.ts';
import { invisibleCharacters } from './invisible-characters.ts';
import { machinePathInDefinition } from './machine-path-in-definition.ts';
import { outputSchemaMissing } from './output-schema-missing.ts';
import { outputUnbounded } from './output-unbounded.ts';
import { promptDescriptionMissing } from './prompt-description-missing.ts';
import { requiredUnknown } from './required-unknown.ts';
import { schemaInvalid } from './schema-invalid.ts';
import { schemaKeywordUnknown } from './schema-keyword-unknown.ts';
import { schemaNotObject } from './schema-not-object.ts';
import { schemaReferenceExternal } from './schema-reference-external.ts';
import { secretInDefinition } from './secret-in-definition.ts';
import { toolDescriptionLong } from './tool-description-long.ts';
import { toolDescriptionMissing } from './tool-description-missing.ts';
import { toolDescriptionRepeatsName } from './tool-description-repeats-name.ts';
import { toolDescriptionShort } from './tool-description-short.ts';
import { toolNameDuplicate } from './tool-name-duplicate.ts';
import { toolNameInvalid } from './tool-name-invalid.ts';
import { toolNameNotPortable } from './tool-name-not-portable.ts';
import { toolNamesClash } from './tool-names-clash.ts';
import { toolsAmbiguous } from './tools-ambiguous.ts';
import { toolsTooMany } from './tools-too-many.ts';

/** Every rule that looks at definitions, in the order in which problems are told. */
export const rules: readonly Rule[] = [
  definitionMalformed,
  toolNameInvalid,
  toolNameDuplicate,
  schemaNotObject,
  schemaInvalid,
  requiredUnknown,
  secretInDefinition,
  invisibleCharacters,
  toolDescriptionMissing,
  injectionLikeText,
  toolNameNotPortable,
  toolNamesClash,
  toolsAmbiguous,
  toolsTooMany,
  toolDescriptionRepeatsName,
  toolDescriptionShort,
  toolDescriptionLong,
  argumentDescriptionMissing,
  argumentUntyped,
  enumInProse,
  schemaKeywordUnknown,
  schemaReferenceExternal,
  annotationsContradict,
  machinePathInDefinition,
  argumentsOpen,
  outputUnbounded,
  outputSchemaMissing,
  annotationsMissing,
  promptDescriptionMissing,
  instructionsMissing,
];
