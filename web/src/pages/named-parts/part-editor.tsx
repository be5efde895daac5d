import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Save, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { stringify } from 'yaml';
import type { NamedParts } from '../../../../src/entry/server/api/project.ts';
import {
  changedValue,
  type DocumentChange,
  isSameValue,
} from '../../../../src/shared/document-edit/document-change.ts';
import { isRecord } from '../../../../src/shared/json.ts';
import { ApiFailure, api } from '../../data/api.ts';
import { namedPartsQuery, type PartsTopic } from '../../data/project.ts';
import { UnsavedGuard } from '../../file-editor/unsaved-guard.tsx';
import { fieldProblems } from '../../forms/field-problems.ts';
import { SchemaForm } from '../../forms/schema-form.tsx';
import { Button } from '../../kit/button.tsx';
import { CodeBlock } from '../../kit/code.tsx';
import { ConfirmDialog } from '../../kit/dialog.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { Card, ErrorView } from '../../kit/page.tsx';
import type { PartsPageProps } from './named-parts-page.tsx';

/** Writes named parts into the config. Null says that nothing was written. */
function useWritePart(topic: PartsTopic) {
  const client = useQueryClient();
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [hasConflict, setHasConflict] = useState(false);

  const run = async (request: () => Promise<NamedParts>): Promise<NamedParts | null> => {
    setIsBusy(true);
    setFailure(null);
    setHasConflict(false);
    try {
      const parts = await request();
      client.setQueryData(namedPartsQuery(topic).queryKey, parts);
      void client.invalidateQueries({ queryKey: ['settings'] });
      void client.invalidateQueries({ queryKey: ['scenarios'] });
      return parts;
    } catch (error) {
      if (error instanceof ApiFailure && error.code === 'FILE_CONFLICT') {
        await client.refetchQueries({ queryKey: namedPartsQuery(topic).queryKey });
        setHasConflict(true);
      } else setFailure(error);
      return null;
    } finally {
      setIsBusy(false);
    }
  };
  const address = (name: string): string => `/${topic}/${encodeURIComponent(name)}`;
  return {
    isBusy,
    failure,
    hasConflict,
    write: (name: string, value: Readonly<Record<string, unknown>>, revision: string | null) =>
      run(() => api.put<NamedParts>(address(name), { value, revision })),
    remove: (name: string, revision: string | null) => run(() => api.delete<NamedParts>(address(name), { revision })),
  };
}

interface PartEditorProps extends PartsPageProps {
  readonly parts: NamedParts;
  /** Undefined for a new one. */
  readonly part: NamedParts['items'][number] | undefined;
  readonly address: '/personas' | '/connectors';
}

/** The form of one named part; it is written into the config when it is saved. */
export function PartEditor({ parts, part, address, topic, noun, startValue, formOf, below }: PartEditorProps) {
  const navigate = useNavigate();
  const [name, setName] = useState(part?.name ?? '');
  const [base, setBase] = useState<Record<string, unknown>>(part?.value ?? startValue);
  const [value, setValue] = useState(base);
  const [isAsking, setIsAsking] = useState(false);
  const writing = useWritePart(topic);
  const form = useMemo(() => formOf(parts, value), [formOf, parts, value]);
  const isTaken = part === undefined && parts.items.some((item) => item.name === name.trim());
  const isUnsaved = part === undefined ? name !== '' || !isSameValue(value, base) : !isSameValue(value, base);
  const isWrong = fieldProblems(form, value).length > 0 || name.trim() === '' || isTaken;
  const change = (step: DocumentChange): void => {
    const next = changedValue(value, step);
    setValue(isRecord(next) ? next : {});
  };
  const save = async (): Promise<void> => {
    const written = await writing.write(name.trim(), value, parts.revision);
    if (written === null) return;
    const saved = written.items.find((item) => item.name === name.trim())?.value ?? value;
    setBase(saved);
    setValue(saved);
    if (part === undefined) await navigate({ to: address, search: { name: name.trim() }, ignoreBlocker: true });
  };
  const remove = async (): Promise<void> => {
    const written = await writing.remove(name, parts.revision);
    setIsAsking(false);
    if (written !== null) await navigate({ to: address, ignoreBlocker: true });
  };
  const actions = parts.isEditable && (
    <>
      {part !== undefined && (
        <Button
          variant="ghost"
          size="sm"
          icon={<Trash2 size={13} aria-hidden />}
          aria-label={`Delete ${part.name}`}
          onClick={() => setIsAsking(true)}
        />
      )}
      <Button
        variant="primary"
        size="sm"
        icon={<Save size={13} aria-hidden />}
        isBusy={writing.isBusy}
        disabled={!isUnsaved || isWrong}
        onClick={() => void save()}
      >
        Save
      </Button>
    </>
  );
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <Card title={part?.name ?? `New ${noun}`} actions={actions}>
        <fieldset disabled={!parts.isEditable} className="flex flex-col gap-4">
          {writing.failure !== null && <ErrorView error={writing.failure} />}
          {writing.hasConflict && <Changed parts={parts} name={name} />}
          {part === undefined && (
            <Field
              label="Name"
              hint="Scenarios use it"
              isRequired
              error={isTaken ? `There is a ${noun} of this name already.` : undefined}
            >
              {(id, describedBy) => (
                <TextInput id={id} aria-describedby={describedBy} value={name} onChange={setName} autoFocus />
              )}
            </Field>
          )}
          <SchemaForm field={form} value={value} problems={noProblems} onChange={change} />
        </fieldset>
      </Card>
      {part !== undefined && below?.(part)}
      <UnsavedGuard isUnsaved={isUnsaved && parts.isEditable} name={part?.name ?? `the new ${noun}`} />
      <ConfirmDialog
        title={`Delete ${name}?`}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={() => void remove()}
        confirmLabel="Delete"
        isDangerous
        isBusy={writing.isBusy}
      >
        It is taken out of {parts.file}. Scenarios that name it can no longer be run.
      </ConfirmDialog>
    </div>
  );
}

const noProblems: readonly [] = [];

/** The config has changed on disk: what it says now, before the same button writes over it. */
function Changed({ parts, name }: { parts: NamedParts; name: string }) {
  const current = parts.items.find((item) => item.name === name);
  return (
    <div role="alert" className="flex flex-col gap-2 rounded-lg border border-error/40 bg-error-ground p-3">
      <p>
        {parts.file} has changed on disk meanwhile, and nothing was written. What you typed is still here; saving again
        replaces what stands there now:
      </p>
      <CodeBlock
        label="On disk"
        text={current === undefined ? 'nothing of this name' : stringify(current.value, { lineWidth: 0 })}
      />
    </div>
  );
}
