import type { Path } from '../../../src/shared/document-edit/document-change.ts';

/** The properties of every form field. */
interface FieldInfo {
  readonly label: string;
  readonly description: string | undefined;
  readonly fallback: unknown;
  readonly isRequired: boolean;
}

/** A choice of a list of choices. */
export interface FieldOption {
  readonly value: string | number | boolean | null;
  readonly label: string;
}

/** One of several shapes that a value may have. */
export interface FieldBranch {
  readonly label: string;
  readonly field: FormField;
}

/** A named part of a group. */
export interface FieldEntry {
  readonly key: string;
  readonly field: FormField;
}

export interface TextField extends FieldInfo {
  readonly kind: 'text';
  /** Usually takes more than one line. */
  readonly isLong: boolean;
  readonly minLength: number;
  readonly pattern: string | undefined;
}

export interface NumberField extends FieldInfo {
  readonly kind: 'number';
  readonly isInteger: boolean;
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  /** The value must be beyond the minimum. */
  readonly isMinimumOutside: boolean;
}

export interface SwitchField extends FieldInfo {
  readonly kind: 'switch';
}

export interface ChoiceField extends FieldInfo {
  readonly kind: 'choice';
  readonly options: readonly FieldOption[];
}

export interface ListField extends FieldInfo {
  readonly kind: 'list';
  readonly item: FormField;
  readonly minItems: number;
}

export interface GroupField extends FieldInfo {
  readonly kind: 'group';
  readonly entries: readonly FieldEntry[];
  /** Keys beside the named ones are mistakes. */
  readonly isClosed: boolean;
}

export interface RecordField extends FieldInfo {
  readonly kind: 'record';
  readonly value: FormField;
}

export interface UnionField extends FieldInfo {
  readonly kind: 'union';
  readonly branches: readonly FieldBranch[];
}

/** A value of any shape, typed as YAML. */
export interface AnythingField extends FieldInfo {
  readonly kind: 'anything';
}

/** A form, as computed from a JSON Schema. */
export type FormField =
  | TextField
  | NumberField
  | SwitchField
  | ChoiceField
  | ListField
  | GroupField
  | RecordField
  | UnionField
  | AnythingField;

/** A value with its place in the document, and the field that shows it. */
export interface FieldProps<Field extends FormField = FormField> {
  readonly field: Field;
  readonly value: unknown;
  readonly path: Path;
  /** Its label stands elsewhere already: here it is only heard. */
  readonly isBare?: boolean | undefined;
}
