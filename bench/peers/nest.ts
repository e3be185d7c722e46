import 'reflect-metadata';
import type { FastifyReply } from 'fastify';
import * as nest from '@nestjs/common';
import etag from '@fastify/etag';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { errorBody, nextLink, noKey, noPet, settings, statuses } from './settings.mjs';
import { pets } from './sqlite.mjs';

/** NestJS on Fastify with a guard, a validation pipe and an exception filter, as its guide recommends. */

class PageQuery {
  @Type(() => Number) @IsInt() @Min(1) @Max(100) limit: number = 20;
  @IsOptional() @IsIn(statuses) status?: string;
  @Type(() => Number) @IsOptional() @IsInt() cursor?: number;
}

class NewPet {
  @IsString() name!: string;
  @IsInt() categoryId!: number;
  @IsOptional() @IsIn(statuses) status?: string;
}

class KeyGuard {
  canActivate(context: nest.ExecutionContext): boolean {
    const { authorization } = context.switchToHttp().getRequest().headers;
    if (authorization === `Bearer ${settings.apiKey}`) return true;
    throw new nest.UnauthorizedException(noKey.message);
  }
}

@nest.Catch()
class ErrorFilter {
  catch(error: Error, host: nest.ArgumentsHost): void {
    const status = error instanceof nest.HttpException ? error.getStatus() : 500;
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    reply.status(status).send(errorBody(error.name, error.message, status));
  }
}

@nest.Controller('v1/pets')
class PetsController {
  @nest.Get()
  listPets(@nest.Query() query: PageQuery, @nest.Res({ passthrough: true }) reply: FastifyReply): unknown {
    const page = pets.list(query);
    if (page.next) reply.header('link', nextLink(query, page.next));
    return page.pets;
  }

  @nest.Get(':id')
  getPet(@nest.Param('id', nest.ParseIntPipe) id: number): unknown {
    const found = pets.get(id);
    if (!found) throw new nest.NotFoundException(noPet.message);
    return found;
  }

  @nest.Post()
  createPet(@nest.Body() pet: NewPet, @nest.Res({ passthrough: true }) reply: FastifyReply): unknown {
    const created = pets.create(pet);
    reply.header('location', `/v1/pets/${created.id}`);
    return created;
  }
}

@nest.Module({ controllers: [PetsController] })
class AppModule {}

const fastify = new FastifyAdapter();
const app = await NestFactory.create<NestFastifyApplication>(AppModule, fastify, { logger: false });
app.useGlobalGuards(new KeyGuard());
app.useGlobalPipes(new nest.ValidationPipe({ transform: true }));
app.useGlobalFilters(new ErrorFilter());
if (settings.withEtag) await app.register(etag);
await app.listen(settings.port, settings.hostname);
