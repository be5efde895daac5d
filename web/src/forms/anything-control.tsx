import { useState } from 'react';
import { parseDocument, stringify } from 'yaml';
import { isSameValue } from '../documents/is-same-value.ts';
import { TextArea } from '../kit/field.tsx';
import { useFormChange } from './form-context.ts';
import type { AnythingField } from './form-field.ts';
import { Labelled } from './labelled.tsx';
import type { FieldProps } from './schema-field.tsx';

/** A value of any shape, typed as YAML; what cannot be read yet stays here and changes nothing. */
export function AnythingControl({ field, value, path, isBare }: FieldProps<AnythingField>) {
  const change = useFormChange();
  const [typed, setTyped] = useState('');
  const read = readText(typed);
  const isCurrent = read.problem !== undefined || isSameValue(read.value, value);
  const shown = isCurrent && typed !== '' ? typed : textOf(value);
  const shownProblem = shown === typed ? read.problem : undefined;
  const onChange = (text: string): void => {
    setTyped(text);
    const { value: next, problem } = readText(text);
    if (problem !== undefined) return;
    change(next === undefined ? { kind: 'remove', path } : { kind: 'set', path, value: next });
  };
  return (
    <Labelled field={field} path={path} isBare={isBare}>
      {(ties) => (
        <>
          <TextArea
            {...ties}
            aria-invalid={shownProblem === undefined ? ties['aria-invalid'] : true}
            spellCheck={false}
            rows={1}
            placeholder="as YAML"
            value={shown}
            onChange={onChange}
            className="min-h-9! font-mono text-xs"
          />
          {shownProblem !== undefined && (
            <div role="alert" className="text-xs font-medium text-fail">
              {shownProblem}
            </div>
          )}
        </>
      )}
    </Labelled>
  );
}

function textOf(value: unknown): string {
  return value === undefined ? '' : stringify(value, { lineWidth: 0 }).trimEnd();
}

function readText(text: string): { value?: unknown; problem?: string } {
  if (text.trim() === '') return {};
  const document = parseDocument(text, { prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) return { problem: error.message };
  try {
    return { value: document.toJS({ maxAliasCount: 100 }) };
  } catch (thrown) {
    return { problem: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}
