import { openFolder } from './folder.ts';
import { isS3, type BackupPlace, type Environment } from './place.ts';
import { openS3 } from './s3.ts';

/** Opens the place that a folder or an s3: address names. */
export function openPlace(name: string, environment: Environment): BackupPlace {
  return isS3(name) ? openS3(name, environment) : openFolder(name);
}
