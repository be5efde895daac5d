import { useState } from 'react';
import { parseDocument, stringify } from 'yaml';
import { isSameValue } from '../../../src/shared/document-edit/document-change.ts';
import { NumberInput, Select, Switch, TextArea, TextInput } from '../kit/field.tsx';
import { useFormChange } from './form-context.tsx';
import type {
  AnythingField,
  ChoiceField,
  FieldOption,
  FieldProps,
  NumberField,
  SwitchField,
  TextField,
} from './form-field.ts';
import { Labelled } from './labelled.tsx';

/** A value of any shape, typed as YAML; what cannot be read yet stays here and changes nothing. */
export function AnythingControl({ field, value, path, isBare }: FieldProps<AnythingField>) {
  const change = useFormChange();
  const [typed, setTyped] = useState('');
  const read = readText(typed);
  const isCurrent = read.problem !== undefined || isSameValue(read.value, value);
  const text = isCurrent && typed !== '' ? typed : textOf(value);
  const visibleProblem = text === typed ? read.problem : undefined;
  const onChange = (text: string): void => {
    setTyped(text);
    const { value: next, problem } = readText(text);
    if (problem !== undefined) return;
    change(next === undefined ? { kind: 'remove', path } : { kind: 'set', path, value: next });
  };
  return (
    <Labelled field={field} path={path} isBare={isBare} isInvalid={visibleProblem !== undefined}>
      <TextArea
        spellCheck={false}
        rows={1}
        placeholder="as YAML"
        value={text}
        onChange={onChange}
        className="min-h-9! font-mono text-xs"
      />
      {visibleProblem !== undefined && (
        <div role="alert" className="text-xs font-medium text-fail">
          {visibleProblem}
        </div>
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

/** A text; an empty optional one is removed from the document. */
export function TextControl({ field, value, path, isBare }: FieldProps<TextField>) {
  const change = useFormChange();
  if (typeof value === 'object' && value !== null) {
    return <AnythingControl field={{ ...field, kind: 'anything' }} value={value} path={path} isBare={isBare} />;
  }
  const text = value === undefined || value === null ? '' : String(value);
  const isArea = field.isLong || text.includes('\n');
  const onChange = (typed: string): void => {
    const isGone = typed === '' && !field.isRequired;
    change(isGone ? { kind: 'remove', path } : { kind: 'set', path, value: typed });
  };
  const placeholder = typeof field.fallback === 'string' ? field.fallback : undefined;
  return (
    <Labelled field={field} path={path} isBare={isBare}>
      {isArea ? (
        <TextArea rows={1} value={text} placeholder={placeholder} onChange={onChange} className="min-h-9!" />
      ) : (
        <TextInput value={text} placeholder={placeholder} onChange={onChange} />
      )}
    </Labelled>
  );
}

/** A number, or what stands for one. */
export function NumberControl({ field, value, path, isBare }: FieldProps<NumberField>) {
  const change = useFormChange();
  if (typeof value === 'string') return <TextControl field={asText(field)} value={value} path={path} />;
  return (
    <Labelled field={field} path={path} isBare={isBare}>
      <NumberInput
        value={typeof value === 'number' ? value : null}
        placeholder={typeof field.fallback === 'number' ? String(field.fallback) : undefined}
        onChange={(number) => change(number === null ? { kind: 'remove', path } : { kind: 'set', path, value: number })}
        className="max-w-48"
      />
    </Labelled>
  );
}

/** Yes or no. */
export function SwitchControl({ field, value, path, isBare }: FieldProps<SwitchField>) {
  const change = useFormChange();
  const isOn = typeof value === 'boolean' ? value : field.fallback === true;
  return (
    <Labelled field={field} path={path} isBare={isBare}>
      <Switch label={field.label} value={isOn} onChange={(chosen) => change({ kind: 'set', path, value: chosen })} />
    </Labelled>
  );
}

const none = '';

/** One of several; a constant needs no field. */
export function ChoiceControl({ field, value, path, isBare }: FieldProps<ChoiceField>) {
  const change = useFormChange();
  const [only] = field.options;
  if (field.isRequired && field.options.length === 1 && only?.value === value) return null;
  const options = field.options.map((option, index) => ({ value: String(index + 1), label: option.label }));
  const chosen = field.options.findIndex((option) => option.value === value);
  const choices = chosen >= 0 || value === undefined ? options : [{ value: '?', label: String(value) }, ...options];
  const current = chosen >= 0 ? String(chosen + 1) : value === undefined ? none : '?';
  const onChange = (key: string): void => {
    if (key === '?') return;
    const option = field.options[Number(key) - 1];
    change(
      key === none || option === undefined ? { kind: 'remove', path } : { kind: 'set', path, value: option.value },
    );
  };
  return (
    <Labelled field={field} path={path} isBare={isBare}>
      <Select
        label={field.label}
        options={[{ value: none, label: noneLabel(field) }, ...choices]}
        value={current}
        onChange={onChange}
        className="max-w-72"
      />
    </Labelled>
  );
}

function noneLabel({ fallback, options }: ChoiceField): string {
  const usual = options.find((option: FieldOption) => option.value === fallback);
  return usual === undefined ? 'not set' : `not set (${usual.label})`;
}

function asText({ label, description, fallback, isRequired }: NumberField): TextField {
  return { kind: 'text', label, description, fallback, isRequired, isLong: false, minLength: 0, pattern: undefined };
}
