import { useQuery } from '@tanstack/react-query';
import { FolderOpen } from 'lucide-react';
import { projectsQuery } from '../data/access.ts';
import { Menu } from '../kit/menu.tsx';
import { useToast } from '../kit/toast.tsx';

/** Goes to another project of the workspace; absent where there is only one. */
export function ProjectSwitch() {
  const { data } = useQuery(projectsQuery());
  const toast = useToast();
  if (data === undefined || data.items.length < 2) return null;
  const current = data.items.find(({ isCurrent }) => isCurrent);
  const items = data.items.map(({ id, name, folder, path, problem, isCurrent }) => ({
    key: id,
    label: isCurrent ? `${name} (open)` : name,
    description: problem ?? folder,
    onSelect(): void {
      if (problem !== null) toast.show(problem, 'bad');
      else if (!isCurrent) window.location.assign(`${path}/`);
    },
  }));
  return (
    <Menu
      label={`Project: ${current?.name ?? ''}`}
      icon={<FolderOpen size={13} aria-hidden />}
      size="sm"
      groups={[{ label: 'Projects of the workspace', items }]}
    />
  );
}
