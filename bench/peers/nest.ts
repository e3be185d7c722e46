import 'reflect-metadata';
import type { ArgumentsHost, ExecutionContext } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import {
  Body,
  Catch,
  Controller,
  Get,
  HttpCode,
  HttpException,
  Inject,
  Injectable,
  Module,
  NotFoundException,
  Param,
  ParseIntPipe,
  Post,
  Query,
  Res,
  UnauthorizedException,
  ValidationPipe,
} from '@nestjs/common';
import etag from '@fastify/etag';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { openPets } from './better-sqlite.mjs';
import { errorBody, nextLink, settings, statuses } from './settings.mjs';

/** NestJS on Fastify with a guard, a validation pipe and an exception filter, as its guide recommends. */

class PageQuery {
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(100)
  limit: number = 20;

  @IsOptional()
  @IsIn(statuses)
  status?: string;

  @Type(() => Number)
  @IsOptional()
  @IsInt()
  cursor?: number;
}

class NewPet {
  @IsString()
  name!: string;

  @IsInt()
  categoryId!: number;

  @IsOptional()
  @IsIn(statuses)
  status?: string;
}

@Injectable()
class PetsService {
  pets = openPets();
}

@Injectable()
class KeyGuard {
  canActivate(context: ExecutionContext): boolean {
    const { authorization } = context.switchToHttp().getRequest().headers;
    if (authorization === `Bearer ${settings.apiKey}`) return true;
    throw new UnauthorizedException('An API key is needed.');
  }
}

@Catch()
class ErrorFilter {
  catch(error: Error, host: ArgumentsHost): void {
    const status = error instanceof HttpException ? error.getStatus() : 500;
    host
      .switchToHttp()
      .getResponse()
      .status(status)
      .send(errorBody(error.name, error.message, status));
  }
}

@Controller('v1/pets')
class PetsController {
  constructor(@Inject(PetsService) private readonly service: PetsService) {}

  @Get()
  listPets(@Query() query: PageQuery, @Res({ passthrough: true }) reply: FastifyReply): unknown {
    const page = this.service.pets.list(query);
    if (page.next) reply.header('link', nextLink(query, page.next));
    return page.pets;
  }

  @Get(':id')
  getPet(@Param('id', ParseIntPipe) id: number): unknown {
    const found = this.service.pets.get(id);
    if (!found) throw new NotFoundException('No pet has this id.');
    return found;
  }

  @Post()
  @HttpCode(201)
  createPet(@Body() pet: NewPet, @Res({ passthrough: true }) reply: FastifyReply): unknown {
    const created = this.service.pets.create(pet);
    reply.header('location', `/v1/pets/${created.id}`);
    return created;
  }
}

@Module({
  controllers: [PetsController],
  providers: [PetsService, { provide: APP_GUARD, useClass: KeyGuard }],
})
class AppModule {}

const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter(), {
  logger: false,
});
app.useGlobalPipes(new ValidationPipe({ transform: true }));
app.useGlobalFilters(new ErrorFilter());
if (settings.withEtag) await app.register(etag);
await app.listen(settings.port, settings.hostname);
