import type { Path } from '../documents/document-change.ts';
import { AnythingControl } from './anything-control.tsx';
import type { FormField } from './form-field.ts';
import { GroupControl } from './group-control.tsx';
import { ListControl } from './list-control.tsx';
import { RecordControl } from './record-control.tsx';
import { ChoiceControl, NumberControl, SwitchControl, TextControl } from './simple-controls.tsx';
import { UnionControl } from './union-control.tsx';

/** A value with its place in the document, and the field that shows it. */
export interface FieldProps<Field extends FormField = FormField> {
  readonly field: Field;
  readonly value: unknown;
  readonly path: Path;
  /** Its label stands elsewhere already: here it is only heard. */
  readonly isBare?: boolean | undefined;
}

/** The field of a form for a value of any shape. */
export function SchemaField({ field, ...rest }: FieldProps) {
  switch (field.kind) {
    case 'text':
      return <TextControl field={field} {...rest} />;
    case 'number':
      return <NumberControl field={field} {...rest} />;
    case 'switch':
      return <SwitchControl field={field} {...rest} />;
    case 'choice':
      return <ChoiceControl field={field} {...rest} />;
    case 'list':
      return <ListControl field={field} {...rest} />;
    case 'group':
      return <GroupControl field={field} {...rest} />;
    case 'record':
      return <RecordControl field={field} {...rest} />;
    case 'union':
      return <UnionControl field={field} {...rest} />;
    case 'anything':
      return <AnythingControl field={field} {...rest} />;
  }
}
