import { useNavigate } from '@tanstack/react-router';
import { Save, Trash2 } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { stringify } from 'yaml';
import type { NamedParts } from '../../../../src/entry/server/api/project.ts';
import type { PartsTopic } from '../../data/project.ts';
import { UnsavedGuard } from '../../file-editor/unsaved-guard.tsx';
import { fieldProblems } from '../../forms/field-problems.ts';
import type { FormField } from '../../forms/form-field.ts';
import { SchemaForm } from '../../forms/schema-form.tsx';
import { Button } from '../../kit/button.tsx';
import { CodeBlock } from '../../kit/code.tsx';
import { ConfirmDialog } from '../../kit/dialog.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { Card, ErrorView } from '../../kit/page.tsx';
import { type PartDraft, usePartDraft } from './use-part-draft.ts';

export type NamedPart = NamedParts['items'][number];

/** A kind of named part: how it is edited. */
export interface PartKind {
  readonly topic: PartsTopic;
  /** "persona" or "connector". */
  readonly noun: string;
  /** The value of a new one. */
  readonly startValue: Readonly<Record<string, unknown>>;
  readonly formOf: (parts: NamedParts, value: Readonly<Record<string, unknown>>) => FormField;
  /** Shown beside its name. */
  readonly pictureOf?: ((part: NamedPart, size: number) => ReactNode) | undefined;
  /** Shown above the form of one that is saved. */
  readonly above?: (part: NamedPart) => ReactNode;
}

interface PartEditorProps extends PartKind {
  readonly parts: NamedParts;
  /** Undefined for a new one. */
  readonly part: NamedPart | undefined;
  readonly address: '/personas' | '/connectors';
}

/** The form of one named part. */
export function PartEditor(props: PartEditorProps) {
  const { parts, part, address, topic, noun, startValue, formOf, above, pictureOf } = props;
  const navigate = useNavigate();
  const [isDeleting, setIsDeleting] = useState(false);
  const draft = usePartDraft({ topic, parts, part, startValue, address });
  const { value, typedName, isTaken, isUnsaved } = draft;
  const form = useMemo(() => formOf(parts, value), [formOf, parts, value]);
  const isWrong = fieldProblems(form, value).length > 0 || !draft.hasName || isTaken;
  const remove = async (): Promise<void> => {
    const isRemoved = await draft.remove();
    setIsDeleting(false);
    if (isRemoved) await navigate({ to: address, ignoreBlocker: true });
  };
  const actions = parts.isEditable && (
    <>
      {part !== undefined && <DeleteButton name={part.name} onClick={() => setIsDeleting(true)} />}
      <Button
        variant="primary"
        size="sm"
        icon={<Save size={13} aria-hidden />}
        isBusy={draft.isBusy}
        disabled={!isUnsaved || isWrong}
        onClick={() => void draft.save()}
      >
        Save
      </Button>
    </>
  );
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {part !== undefined && above?.(part)}
      <Card title={<PartTitle part={part} noun={noun} pictureOf={pictureOf} />} actions={actions}>
        <fieldset disabled={!parts.isEditable} className="flex flex-col gap-4">
          {draft.failure !== null && <ErrorView error={draft.failure} />}
          {draft.hasConflict && <Changed parts={parts} name={typedName} />}
          {part === undefined && <NameField draft={draft} noun={noun} />}
          <SchemaForm field={form} value={value} problems={noProblems} onChange={draft.change} />
        </fieldset>
      </Card>
      <UnsavedGuard isUnsaved={isUnsaved && parts.isEditable} name={part?.name ?? `the new ${noun}`} />
      <ConfirmDialog
        title={`Delete ${typedName}?`}
        isOpen={isDeleting}
        onClose={() => setIsDeleting(false)}
        onConfirm={() => void remove()}
        confirmLabel="Delete"
        isDangerous
        isBusy={draft.isBusy}
      >
        It is removed from {parts.file}. Scenarios that name it can no longer be run.
      </ConfirmDialog>
    </div>
  );
}

function PartTitle({ part, noun, pictureOf }: Pick<PartEditorProps, 'part' | 'noun' | 'pictureOf'>) {
  if (part === undefined) return <>New {noun}</>;
  return (
    <span className="flex items-center gap-2">
      {pictureOf?.(part, 40)}
      {part.name}
    </span>
  );
}

function DeleteButton({ name, onClick }: { name: string; onClick: () => void }) {
  return (
    <Button
      variant="ghost"
      size="sm"
      icon={<Trash2 size={13} aria-hidden />}
      aria-label={`Delete ${name}`}
      onClick={onClick}
    />
  );
}

function NameField({ draft, noun }: { draft: PartDraft; noun: string }) {
  const error = draft.isTaken ? `A ${noun} with this name already exists.` : undefined;
  return (
    <Field label="Name" hint="Scenarios use it" isRequired error={error}>
      <TextInput value={draft.typedName} onChange={draft.setName} autoFocus />
    </Field>
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
