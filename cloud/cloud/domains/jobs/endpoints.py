"""Jobs: what somebody asked for, how far it is, and its file."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Response
from fastapi.responses import FileResponse

from cloud.core.envelope import Envelope, Page, ok
from cloud.core.paging import PageNumber, PageSize
from cloud.core.services import service
from cloud.domains.identity.access import Signed, requires
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.jobs.schemas import Job, JobDetail
from cloud.domains.jobs.service import JobService
from cloud.domains.jobs.states import JobState

router = APIRouter(tags=["jobs"])

FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


Service = Annotated[JobService, service(JobService)]
Reader = Annotated[CurrentUser, requires("FileDownload")]
JobId = Annotated[int, Path(ge=1, le=2**31 - 1)]


@router.get("/job", operation_id="listJobs")
async def list_jobs(
    service: Service,
    user: Reader,
    everybody: bool = False,
    state: JobState | None = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Envelope[Page[Job]]:
    """Your jobs, the newest first. everybody: also those of users below you."""
    return ok(await service.page(user, page, limit, everybody=everybody, state=state))


@router.get("/job/{job_id:int}", operation_id="getJob")
async def get_job(job_id: JobId, user: Signed, service: Service) -> Envelope[JobDetail]:
    """A job of yours, or of somebody below you, with what came out."""
    return ok(await service.detail(user, job_id))


@router.delete("/job/{job_id:int}", operation_id="deleteJob")
async def delete_job(job_id: JobId, user: Signed, service: Service) -> Envelope[None]:
    """End a job that waits or runs; forget one that has ended, with its file."""
    await service.delete(user, job_id)
    return ok(None)


@router.get("/job/{job_id:int}/file", operation_id="getJobFile", response_class=Response, responses=FILE)
async def get_job_file(job_id: JobId, user: Signed, service: Service) -> Response:
    """The file that a completed job made."""
    file = await service.file(user, job_id)
    headers = {"X-Content-Type-Options": "nosniff", "Cache-Control": "private, no-store"}
    return FileResponse(file.path, media_type=file.media_type, filename=file.name, headers=headers)
