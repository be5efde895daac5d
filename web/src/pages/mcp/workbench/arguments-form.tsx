import { useMemo, useState } from 'react';
import { changedValue } from '../../../../../src/shared/document-edit/document-change.ts';
import { isRecord } from '../../../../../src/shared/json.ts';
import { type JsonSchema, readForeignForm } from '../../../forms/read-form.ts';
import { SchemaForm } from '../../../forms/schema-form.tsx';
import { Field, Switch, TextArea } from '../../../kit/field.tsx';
import { jsonText, readObject } from './json-text.ts';

const noProblems: readonly [] = [];

/** Values that are typed into a form or as JSON; undefined while the JSON cannot be read. */
export function useArguments(schema: JsonSchema) {
  const form = useMemo(() => readForeignForm(objectSchema(schema)), [schema]);
  const [value, setValue] = useState<unknown>({});
  const [json, setJson] = useState<string | undefined>(undefined);
  const read = json === undefined ? undefined : readObject(json);
  const problem = read && 'problem' in read ? read.problem : undefined;
  const typed = isRecord(value) ? value : {};
  return {
    form,
    value: typed,
    change: setValue,
    json,
    setJson,
    /** Between the form and the text, with what was typed. */
    setIsJson: (isJson: boolean): void => {
      if (read && 'value' in read) setValue(read.value);
      setJson(isJson ? jsonText(typed) : undefined);
    },
    problem,
    given: read === undefined ? typed : 'value' in read ? read.value : undefined,
  };
}

/** An object without named fields has no form; its fields are typed as JSON. */
function objectSchema(schema: JsonSchema): JsonSchema {
  const isEmpty = !isRecord(schema.properties) || Object.keys(schema.properties).length === 0;
  return isEmpty && !isRecord(schema.additionalProperties)
    ? { ...schema, type: 'object', additionalProperties: false }
    : schema;
}

/** A form for the arguments of a tool or a prompt; as JSON also for those that its schema forbids. */
export function ArgumentsForm({
  state,
  noun,
  title = 'Arguments',
}: {
  state: ReturnType<typeof useArguments>;
  noun: string;
  title?: string;
}) {
  const { form, value, json, problem } = state;
  const isEmpty = form.kind === 'group' && form.entries.length === 0;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-center justify-between gap-2">
        <h3 className="text-sm font-semibold">{title}</h3>
        <span className="flex items-center gap-2 text-xs text-muted">
          As JSON
          <Switch label={`${title} as JSON`} value={json !== undefined} onChange={state.setIsJson} />
        </span>
      </div>
      {json === undefined ? (
        isEmpty ? (
          <p className="text-muted">The {noun} takes no values.</p>
        ) : (
          <SchemaForm
            field={form}
            value={value}
            problems={noProblems}
            isUntouched={Object.keys(value).length === 0}
            onChange={(change) => state.change((before: unknown) => changedValue(before, change))}
          />
        )
      ) : (
        <Field label={`${title} as JSON`} error={problem}>
          <TextArea value={json} onChange={state.setJson} rows={8} />
        </Field>
      )}
    </div>
  );
}
