import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { LabelRun, RunHead, StartedRun } from '../../../../src/entry/server/api/runs.ts';
import { useRefusal } from '../../data/access.ts';
import { api } from '../../data/api.ts';
import { runAddress } from '../../data/queries.ts';
import { FormDialog } from '../../kit/dialog.tsx';
import { Field, TextArea, TextInput } from '../../kit/field.tsx';
import { Menu } from '../../kit/menu.tsx';
import { useChange } from '../../kit/use-change.ts';
import { useLoadedState } from '../../kit/use-loaded-state.ts';
import { listed } from '../runs/run-form.ts';

const ConfirmDialog = lazy(async () => ({ default: (await import('../../kit/dialog.tsx')).ConfirmDialog }));

/** Actions that run nothing: describe a run, archive it, delete it. */
export function RunMoreMenu({ run }: { run: RunHead }) {
  const [open, setOpen] = useLoadedState<'labels' | 'delete' | null>(null);
  const mayRun = useRefusal('run') === undefined;
  const mayDelete = useRefusal('edit') === undefined;
  const label = useLabelRun(run.runId);
  const items = [
    ...(mayRun ? [{ key: 'labels', label: 'Name, tags and notes …', onSelect: () => setOpen('labels') }] : []),
    ...(mayRun ? [archiveItem(run.isArchived, (isArchived) => label.mutate({ isArchived }))] : []),
    ...(mayDelete && !run.isLive ? [{ key: 'delete', label: 'Delete …', onSelect: () => setOpen('delete') }] : []),
  ];
  if (items.length === 0) return null;
  return (
    <>
      <Menu label="More" icon={<Ellipsis size={14} aria-hidden />} groups={[{ label: 'This run', items }]} />
      {open === 'labels' && <LabelsDialog run={run} onClose={() => setOpen(null)} />}
      <Suspense>{open === 'delete' && <DeleteDialog runId={run.runId} onClose={() => setOpen(null)} />}</Suspense>
    </>
  );
}

function archiveItem(isArchived: boolean, onChange: (isArchived: boolean) => void) {
  return isArchived
    ? { key: 'archive', label: 'Take out of the archive', onSelect: () => onChange(false) }
    : {
        key: 'archive',
        label: 'Archive',
        description: 'Lists and the name latest leave it out; nothing is deleted',
        onSelect: () => onChange(true),
      };
}

function useLabelRun(runId: string) {
  return useChange({
    send: (change: LabelRun) => api.put<StartedRun>(`${runAddress(runId)}/labels`, change),
    stale: [['runs'], ['dashboard'], ['run', runId]],
  });
}

function LabelsDialog({ run, onClose }: { run: RunHead; onClose: () => void }) {
  const [form, setForm] = useState({ name: run.name ?? '', tags: run.tags.join(', '), notes: run.notes ?? '' });
  const label = useLabelRun(run.runId);
  const set = (part: Partial<typeof form>): void => setForm((known) => ({ ...known, ...part }));
  const submit = (): void =>
    label.mutate({ name: form.name, tags: listed(form.tags), notes: form.notes }, { onSuccess: onClose });
  return (
    <FormDialog title="Name, tags and notes" submit="Save" onSubmit={submit} onClose={onClose} sending={label}>
      <Field label="Name" hint="Empty: the names of its scenarios">
        <TextInput maxLength={200} value={form.name} onChange={(name) => set({ name })} />
      </Field>
      <Field label="Tags" hint="Separated by commas">
        <TextInput value={form.tags} onChange={(tags) => set({ tags })} />
      </Field>
      <Field label="Notes">
        <TextArea maxLength={20_000} rows={5} value={form.notes} onChange={(notes) => set({ notes })} />
      </Field>
    </FormDialog>
  );
}

function DeleteDialog({ runId, onClose }: { runId: string; onClose: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = useChange({
    send: () => api.delete<StartedRun>(runAddress(runId)),
    stale: [['runs'], ['dashboard']],
    message: 'The run was deleted.',
    async onDone() {
      await navigate({ to: '/runs' });
      client.removeQueries({ queryKey: ['run', runId] });
    },
  });
  return (
    <ConfirmDialog
      title="Delete this run?"
      isOpen
      onClose={onClose}
      confirmLabel="Delete the run"
      isDangerous
      onConfirm={() => {
        onClose();
        remove.mutate();
      }}
    >
      Its trials, traces, artifacts and reports are deleted. This cannot be undone; Archive only hides it.
    </ConfirmDialog>
  );
}
