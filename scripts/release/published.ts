import { join, posix } from 'node:path';
import { usageError } from '../../src/domain/error.ts';

/** Where readers of a package find its sources: such as `https://git.example/petstore`, and the tag of the release. */
export interface Repository {
  url: string;
  tag: string;
}

/** The folders of the packages that are published. */
export const publishedFolders = ['.', 'packages/client', 'packages/testkit'];

/**
 * Prepares the packages in a copy of the sources: their manifests get the addresses, which the sources do not know, and
 * the links of their READMEs lead out of the package.
 */
export async function addAddresses(copy: string, repository: Repository | undefined): Promise<void> {
  for (const folder of publishedFolders) {
    const readme = join(copy, folder, 'README.md');
    await Bun.write(readme, withOutsideLinks(await Bun.file(readme).text(), folder, repository));
    if (repository === undefined) continue;
    const file = join(copy, folder, 'package.json');
    const manifest = (await Bun.file(file).json()) as object;
    const { url } = repository;
    const addresses = {
      repository: { type: 'git', url: `git+${url}.git`, ...(folder !== '.' && { directory: folder }) },
      homepage: `${url}#readme`,
      bugs: `${url}/issues`,
    };
    await Bun.write(file, `${JSON.stringify({ ...manifest, ...addresses }, null, 2)}\n`);
  }
}

/** Makes relative links lead to the repository. Without one, only their text is left. */
export function withOutsideLinks(text: string, folder: string, repository: Repository | undefined): string {
  // Every second part is a block of code.
  const parts = text.split(/(^```.*?^```$)/ms);
  const relativeLink = /(!?)\[([^\]]*)\]\((?!https?:|#)([^)\s]+)\)/g;
  return parts
    .map((part, index) => {
      if (index % 2 === 1) return part;
      return part.replace(relativeLink, (_link, bang: string, label: string, target: string) => {
        if (repository === undefined) return label;
        const kind = bang === '' ? 'blob' : 'raw';
        const path = posix.join(folder, target);
        return `${bang}[${label}](${repository.url}/${kind}/${repository.tag}/${path})`;
      });
    })
    .join('');
}

/** Checks the address of a repository. */
export function repositoryOf(url: string | undefined, version: string): Repository | undefined {
  if (url === undefined) return undefined;
  if (/^https:\/\/[^\s/?#]+\/[^\s?#]*[^\s?#/]$/.test(url) && !url.endsWith('.git'))
    return { url, tag: `v${version}` };
  throw usageError(
    `"${url}" is not the address of a repository.`,
    'Write it as https://git.example/petstore.',
  );
}
